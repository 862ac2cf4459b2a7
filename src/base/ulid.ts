// Ids that sort by age: 48 bits of time and 80 of chance, in Crockford's base 32, lower case (github.com/ulid/spec).
import { randomBytes } from "node:crypto";

/** Its digits, least first. */
export const ulidAlphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** A ULID of 26 characters for `nowMs` (ms since the Unix epoch). */
export function ulid(nowMs: number): string {
  let value = (BigInt(Math.trunc(nowMs)) << 80n) | BigInt(`0x${randomBytes(10).toString("hex")}`);
  let text = "";
  for (let place = 0; place < 26; place += 1) {
    text = ulidAlphabet[Number(value & 31n)]! + text;
    value >>= 5n;
  }
  return text;
}
