// Generates, hashes and checks the secrets of tokens. Pure: no database.
import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const tokenPrefix = "sgn_pat_";
const enrolmentPrefix = "enk_";
const sessionPrefix = "sgn_ses_";
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The SHA-256 of a secret, in hexadecimal. The service stores only this. */
export function hashSecret(secret: string): string {
  return hash("sha256", secret, "hex");
}

/** `length` random base-62 digits, uniformly distributed. */
export function randomText(length: number): string {
  let text = "";
  while (text.length < length) {
    // 248 is the largest multiple of 62 in a byte; larger bytes would make the first digits more likely.
    for (const byte of randomBytes(length)) if (byte < 248 && text.length < length) text += digits[byte % 62]!;
  }
  return text;
}

/** A new token: 30 random digits and a checksum, so that secret scanners recognize it and typing errors are detected. */
export function generateToken(): string {
  return generateSecret(tokenPrefix);
}

/** The secret of a new session, built like a token. Browsers keep it in a cookie. */
export function generateSessionSecret(): string {
  return generateSecret(sessionPrefix);
}

/** A new enrolment key, built like a token. */
export function generateEnrolmentKey(): string {
  return generateSecret(enrolmentPrefix);
}

/** The last four characters, by which people recognize a token. */
export function tokenHint(token: string): string {
  return token.slice(-4);
}

/** True if prefix, length and checksum of `token` are right. It may still be unknown to the service. */
export function isWellFormedToken(token: string): boolean {
  return isWellFormedSecret(tokenPrefix, token);
}

/** True if prefix, length and checksum of a session's secret are right. It may still be unknown to the service. */
export function isWellFormedSession(secret: string): boolean {
  return isWellFormedSecret(sessionPrefix, secret);
}

/** True if prefix, length and checksum of an enrolment key are right. It may still be unknown to the service. */
export function isWellFormedEnrolmentKey(key: string): boolean {
  return isWellFormedSecret(enrolmentPrefix, key);
}

function generateSecret(prefix: string): string {
  const body = randomText(30);
  return prefix + body + checksum(body);
}

function isWellFormedSecret(prefix: string, secret: string): boolean {
  if (!secret.startsWith(prefix)) return false;
  const match = /^([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/.exec(secret.slice(prefix.length));
  return match !== null && checksum(match[1]!) === match[2];
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = "";
  for (let place = 0; place < 6; place += 1) {
    text = digits[rest % 62]! + text;
    rest = Math.trunc(rest / 62);
  }
  return text;
}
