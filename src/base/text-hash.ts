// Names content by its SHA-256. Works in Node and in a browser, so that both give equal content equal names.
import { sha256 } from "@noble/hashes/sha2.js";

/** The SHA-256 of a text in UTF-8, in base64url without padding. */
export function hashText(text: string): string {
  const base64 = btoa(String.fromCharCode(...sha256(new TextEncoder().encode(text))));
  return base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
