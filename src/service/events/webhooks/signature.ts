// Signs webhook messages as Standard Webhooks 1.0 says: HMAC-SHA256 over id, timestamp and body.
import { createHmac, randomBytes } from "node:crypto";

const prefix = "whsec_";

/** A fresh secret: `whsec_` and 32 random bytes in base64. */
export function createSecret(): string {
  return prefix + randomBytes(32).toString("base64");
}

/** What a message is sent with. */
export interface SignatureHeaders {
  "webhook-id": string;
  "webhook-timestamp": string;
  "webhook-signature": string;
}

/**
 * The headers that prove `body`. With several secrets there are several signatures, so that a receiver may know either.
 * @param id names the message: the same at every attempt.
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
