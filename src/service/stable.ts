// One text for equal values, whatever the order of their fields: what revisions and ETags are digests of.
import { createHash } from "node:crypto";

/** JSON with the fields of every object in order (in the manner of RFC 8785). */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** A digest of {@link stableJson}: 43 characters, base64url. */
export function digestOf(value: unknown): string {
  return createHash("sha256").update(stableJson(value)).digest("base64url");
}
