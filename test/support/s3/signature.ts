// Verifies Signature Version 4 of requests to S3, in the Authorization header and in signed URLs
// (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html).
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { S3Error } from "./s3-error.ts";

export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
}

interface Signature {
  credential: string;
  signedHeaders: string[];
  signature: string;
  /** Such as 20261124T120000Z. */
  date: string;
  payloadHash: string;
}

const algorithm = "AWS4-HMAC-SHA256";
const maxSkewMs = 900_000;
const maxExpiresS = 604_800;

/**
 * @returns the hash that the body must have, in hex; null: the body is not signed.
 * @throws S3Error 403 with S3's codes.
 */
export function verifySignature(request: IncomingMessage, { accessKeyId, secretAccessKey }: S3Credentials, now: number): string | null {
  const url = new URL(request.url!, "http://s3");
  const isPresigned = url.searchParams.has("X-Amz-Signature");
  if (isPresigned && request.headers.authorization !== undefined)
    throw new S3Error(400, "InvalidArgument", "Only one auth mechanism allowed");
  const given = isPresigned ? readQuery(url, now) : readHeader(request, now);
  const [keyId, day, region, service, end] = given.credential.split("/");
  if (keyId !== accessKeyId) throw new S3Error(403, "InvalidAccessKeyId", "The access key is not known here");
  if (service !== "s3" || end !== "aws4_request" || given.date.slice(0, 8) !== day)
    throw new S3Error(403, "SignatureDoesNotMatch", "The credential's scope is wrong");
  if (!given.signedHeaders.includes("host")) throw new S3Error(403, "AccessDenied", "The host must be signed");
  const canonical = [
    request.method!,
    request.url!.split("?")[0]!,
    canonicalQuery(request.url!),
    ...given.signedHeaders.map(
      (name) =>
        `${name}:${String(request.headers[name] ?? "")
          .trim()
          .replaceAll(/ +/g, " ")}`,
    ),
    "",
    given.signedHeaders.join(";"),
    given.payloadHash,
  ].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = `${algorithm}\n${given.date}\n${scope}\n${createHash("sha256").update(canonical).digest("hex")}`;
  const key = [day!, region!, "s3", "aws4_request"].reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${secretAccessKey}`);
  const expected = hmac(key, toSign);
  const actual = Buffer.from(given.signature, "hex");
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected))
    throw new S3Error(403, "SignatureDoesNotMatch", "The request signature does not match");
  for (const name of Object.keys(request.headers))
    if (name.startsWith("x-amz-") && !given.signedHeaders.includes(name))
      throw new S3Error(403, "AccessDenied", `There were headers present in the request which were not signed: ${name}`);
  return given.payloadHash === "UNSIGNED-PAYLOAD" ? null : given.payloadHash;
}

function readHeader({ headers }: IncomingMessage, now: number): Signature {
  const match = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
    headers.authorization ?? "",
  );
  if (match === null) throw new S3Error(403, "AccessDenied", "The request is not signed");
  const date = String(headers["x-amz-date"]);
  if (!(Math.abs(timeOf(date) - now) <= maxSkewMs))
    throw new S3Error(403, "RequestTimeTooSkewed", "The difference between the request time and the current time is too large");
  const payloadHash = String(headers["x-amz-content-sha256"]);
  if (payloadHash.startsWith("STREAMING-")) throw new S3Error(501, "NotImplemented", "Signed chunks are not supported here");
  return { credential: match[1]!, signedHeaders: match[2]!.split(";"), signature: match[3]!, date, payloadHash };
}

function readQuery({ searchParams: query }: URL, now: number): Signature {
  const text = (name: string) => query.get(`X-Amz-${name}`) ?? "";
  const expiresS = Number(text("Expires"));
  if (text("Algorithm") !== algorithm || !(expiresS > 0 && expiresS <= maxExpiresS))
    throw new S3Error(400, "AuthorizationQueryParametersError", "The signed URL is malformed");
  const date = text("Date");
  if (!(now <= timeOf(date) + expiresS * 1_000)) throw new S3Error(403, "AccessDenied", "Request has expired");
  const signedHeaders = text("SignedHeaders").split(";");
  return { credential: text("Credential"), signedHeaders, signature: text("Signature"), date, payloadHash: "UNSIGNED-PAYLOAD" };
}

function canonicalQuery(url: string): string {
  const encode = (text: string) =>
    encodeURIComponent(text).replaceAll(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
  const pairs = [...new URL(url, "http://s3").searchParams].filter(([name]) => name !== "X-Amz-Signature");
  return pairs
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join("&");
}

function timeOf(date: string): number {
  return Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
