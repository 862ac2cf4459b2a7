// Signs webhook messages according to Standard Webhooks 1.0: HMAC-SHA256 over id, timestamp and body.
import { createHmac, randomBytes } from "node:crypto";

const prefix = "whsec_";

/** A new secret: `whsec_` and 32 random bytes in base64. */
export function createSecret(): string {
  return prefix + randomBytes(32).toString("base64");
}

export interface SignatureHeaders {
  "webhook-id": string;
  "webhook-timestamp": string;
  "webhook-signature": string;
}

/**
 * The headers that sign `body`, with one signature per secret: the receiver may know any of them.
 * @param id identifies the message; the same in every attempt.
 * @param timestamp of the attempt, whole seconds since the epoch.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signatureHeaders(id: string, timestamp: number, body: string, secrets: readonly string[]): SignatureHeaders {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": String(timestamp), "webhook-signature": signatures.join(" ") };
}
