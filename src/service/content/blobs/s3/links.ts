// Signs links by which somebody without credentials reads one object for some minutes.
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import type { Clock } from "../../../../base/clock.ts";
import type { LinkHeaders } from "../blob-store.ts";
import type { Bucket } from "./bucket.ts";

/** Links that are signed within this time are equal, so that a browser finds the file in its cache. */
const sameLinkMs = 300_000;
/** A link is valid for five to ten minutes from its signature. It has to be only when a download begins. */
const lifetimeS = 600;

export class SignedLinks {
  /** Where the links lead to, such as `https://bucket.s3.eu-central-1.amazonaws.com`. */
  readonly origin: string;
  readonly #bucket: Bucket;
  readonly #clock: Clock;

  private constructor(bucket: Bucket, clock: Clock, origin: string) {
    this.#bucket = bucket;
    this.#clock = clock;
    this.origin = origin;
  }

  /** Connects to nothing. @param cdn the origin that links lead to in place of the bucket's; null: the bucket's */
  static async open(bucket: Bucket, clock: Clock, cdn: string | null): Promise<SignedLinks> {
    return new SignedLinks(bucket, clock, cdn ?? (await originOf(bucket)));
  }

  /** A link to an object, which answers with these headers. */
  async sign(key: string, { type, disposition, cacheControl }: LinkHeaders): Promise<string> {
    const command = new GetObjectCommand({
      Bucket: this.#bucket.config.bucket,
      Key: key,
      ResponseContentType: type,
      ResponseContentDisposition: disposition,
      ResponseCacheControl: cacheControl,
    });
    const signingDate = new Date(Math.floor(this.#clock.now() / sameLinkMs) * sameLinkMs);
    try {
      const signed = new URL(await getSignedUrl(this.#bucket.client, command, { signingDate, expiresIn: lifetimeS }));
      // The signature covers the bucket's host, which the CDN has to send to the bucket.
      return this.origin + signed.pathname + signed.search;
    } catch (error) {
      // The credentials of a role come from a server.
      throw this.#bucket.fault(error);
    }
  }
}

/** The library's rules decide between path and host name. They do not look at the credentials. */
async function originOf({ config }: Bucket): Promise<string> {
  const { endpoint, region, isPathStyle } = config;
  const credentials = { accessKeyId: "none", secretAccessKey: "none" };
  const unnamed = new S3Client({ region, forcePathStyle: isPathStyle, credentials, ...(endpoint === null ? {} : { endpoint }) });
  try {
    const command = new GetObjectCommand({ Bucket: config.bucket, Key: "none" });
    return new URL(await getSignedUrl(unnamed, command)).origin;
  } finally {
    unnamed.destroy();
  }
}
