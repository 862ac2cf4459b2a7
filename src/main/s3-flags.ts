// The service's flags for the bucket of its blobs, and the environment variables that S3's tools share.
import { readFileSync } from "node:fs";
import { z } from "zod";
import type { S3Config } from "../service/content/blobs/s3/config.ts";
import { ExistingFile, Gigabytes, WebAddress } from "./flags.ts";

/** How to reach the bucket, as `--help` lists it. */
export const s3AccessUsage = {
  "s3-endpoint": { value: "URL", help: "S3 server, if not Amazon's (default $AWS_ENDPOINT_URL_S3, $AWS_ENDPOINT_URL)" },
  "s3-region": { value: "REGION", help: "Region of the bucket (default $AWS_REGION, $AWS_DEFAULT_REGION, us-east-1)" },
  "s3-path-style": { help: "The bucket is in the path of URLs, not in the host name: for most servers other than Amazon's" },
  "s3-access-key-id": {
    value: "ID",
    help: "Access key (default $AWS_ACCESS_KEY_ID, else Amazon's usual places such as the machine's role)",
  },
  "s3-secret-key-file": { value: "FILE", help: "File with the secret of the access key (default $AWS_SECRET_ACCESS_KEY)" },
} as const;

/** All of them. */
export const s3Usage = {
  blobs: { value: "s3://BUCKET/PREFIX", help: "Bucket for assets and other files, which several nodes share (default: SERVICE_DIR/blobs)" },
  "blob-cache-gb": { value: "GB", help: "How much of the bucket is kept in SERVICE_DIR for libraries that read files (default 2)" },
  ...s3AccessUsage,
  "s3-redirect": { help: "Send downloads of pictures, videos and other media to signed links of the bucket, which all clients must reach" },
  "blobs-url": { value: "URL", help: "Origin of these links, if a CDN is before the bucket: https://cdn.example.com" },
} as const;

const defaultCacheBytes = 2e9;
const Place = z
  .string()
  .regex(/^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[\w./-]*)?$/, "must be a bucket such as s3://bucket or s3://bucket/prefix");

/** The schemas of those that say how to reach the bucket. */
export const s3AccessFlags = {
  "s3-endpoint": WebAddress.optional(),
  "s3-region": z
    .string()
    .regex(/^[a-z0-9-]{2,40}$/, "must be a region such as eu-central-1")
    .optional(),
  "s3-path-style": z.boolean().default(false),
  "s3-access-key-id": z.string().min(1, "must be an access key").optional(),
  "s3-secret-key-file": ExistingFile,
};

/** The schemas of all. */
export const s3Flags = {
  blobs: Place.optional(),
  "blob-cache-gb": Gigabytes.removeDefault().optional(),
  ...s3AccessFlags,
  "s3-redirect": z.boolean().default(false),
  "blobs-url": WebAddress.refine((url) => new URL(url).href === `${new URL(url).origin}/`, "must be an origin, without a path")
    .transform((url) => new URL(url).origin)
    .optional(),
};

type S3Flags = z.infer<z.ZodObject<typeof s3Flags>>;
type Environment = Readonly<Record<string, string | undefined>>;

/** Reports flags and variables that are missing or contradict each other. */
export function checkS3Flags(flags: S3Flags, env: Environment, wrong: (flag: string, message: string) => void): void {
  if (flags.blobs === undefined) {
    for (const name of Object.keys(s3Flags) as (keyof S3Flags)[]) {
      if (flags[name] !== undefined && flags[name] !== false) wrong(name, "goes with --blobs");
    }
    return;
  }
  if (flags["blobs-url"] !== undefined && !flags["s3-redirect"]) wrong("blobs-url", "goes with --s3-redirect");
  const endpoint = endpointOf(flags, env);
  if (endpoint !== null && !WebAddress.safeParse(endpoint).success)
    wrong("s3-endpoint", "$AWS_ENDPOINT_URL must be an http:// or https:// address");
  const hasId = accessKeyOf(flags, env) !== undefined;
  const hasSecret = flags["s3-secret-key-file"] !== undefined || isSet(env["AWS_SECRET_ACCESS_KEY"]);
  if (hasId && !hasSecret) wrong("s3-secret-key-file", "or $AWS_SECRET_ACCESS_KEY goes with an access key");
  if (!hasId && hasSecret) wrong("s3-access-key-id", "or $AWS_ACCESS_KEY_ID goes with a secret");
}

/** The bucket; null: the blobs are in the data folder. */
export function readS3Flags(flags: S3Flags, env: Environment): S3Config | null {
  if (flags.blobs === undefined) return null;
  const [bucket = "", ...path] = flags.blobs.slice("s3://".length).split("/");
  const prefix = path.filter((part) => part !== "").join("/");
  const accessKeyId = accessKeyOf(flags, env);
  const file = flags["s3-secret-key-file"];
  const secretAccessKey = file === undefined ? env["AWS_SECRET_ACCESS_KEY"] : readFileSync(file, "utf8").trim();
  const sessionToken = file === undefined ? env["AWS_SESSION_TOKEN"] : undefined;
  return {
    bucket,
    prefix: prefix === "" ? "" : `${prefix}/`,
    endpoint: endpointOf(flags, env),
    region: [flags["s3-region"], env["AWS_REGION"], env["AWS_DEFAULT_REGION"]].find(isSet) ?? "us-east-1",
    isPathStyle: flags["s3-path-style"],
    credentials:
      accessKeyId === undefined || secretAccessKey === undefined
        ? null
        : { accessKeyId, secretAccessKey, ...(isSet(sessionToken) ? { sessionToken: sessionToken! } : {}) },
    links: flags["s3-redirect"] ? { cdn: flags["blobs-url"] ?? null } : null,
    cacheBytes: flags["blob-cache-gb"] ?? defaultCacheBytes,
  };
}

function endpointOf(flags: S3Flags, env: Environment): string | null {
  return [flags["s3-endpoint"], env["AWS_ENDPOINT_URL_S3"], env["AWS_ENDPOINT_URL"]].find(isSet) ?? null;
}

function accessKeyOf(flags: S3Flags, env: Environment): string | undefined {
  return [flags["s3-access-key-id"], env["AWS_ACCESS_KEY_ID"]].find(isSet);
}

function isSet(text: string | undefined): boolean {
  return text !== undefined && text !== "";
}
