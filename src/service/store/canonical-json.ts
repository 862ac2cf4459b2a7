// Serializes equal values to equal JSON, regardless of the order of their fields. Revisions and ETags are digests of it.
import { hash } from "node:crypto";

/** JSON with the fields of every object sorted by name (similar to RFC 8785). */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

/** The SHA-256 of {@link canonicalJson}: 43 characters of base64url. */
export function digestOf(value: unknown): string {
  return hash("sha256", canonicalJson(value), "base64url");
}

/** The value with the fields of every object sorted. Objects with their own JSON, such as dates, stay unchanged. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || "toJSON" in value) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const fields = value as Record<string, unknown>;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(fields).sort()) {
    // Assigning to this name would set the prototype instead of a field.
    if (name === "__proto__") Object.defineProperty(copy, name, { value: sorted(fields[name]), enumerable: true });
    else copy[name] = sorted(fields[name]);
  }
  return copy;
}
