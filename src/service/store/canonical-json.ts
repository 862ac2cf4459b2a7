// One text for equal values, whatever the order of their fields: what revisions and ETags are digests of.
import { hash } from "node:crypto";

/** JSON with the fields of every object in order (in the manner of RFC 8785). */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(ordered(value));
}

/** A digest of {@link canonicalJson}: 43 characters, base64url. */
export function digestOf(value: unknown): string {
  return hash("sha256", canonicalJson(value), "base64url");
}

/** The value with the fields of every object in order. What has a JSON of its own, such as a date, is left to give it. */
function ordered(part: unknown): unknown {
  if (typeof part !== "object" || part === null || "toJSON" in part) return part;
  if (Array.isArray(part)) return part.map(ordered);
  const fields = part as Record<string, unknown>;
  const made: Record<string, unknown> = {};
  for (const name of Object.keys(fields).sort()) {
    // An assignment to this name would give the object a prototype instead of a field.
    if (name === "__proto__") Object.defineProperty(made, name, { value: ordered(fields[name]), enumerable: true });
    else made[name] = ordered(fields[name]);
  }
  return made;
}
