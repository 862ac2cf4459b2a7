// Ids that sort by age: 48 bits of time and 80 of chance, in Crockford's base 32, lower case (github.com/ulid/spec).
import { randomUUID } from "node:crypto";

/** Its digits, least first. */
export const ulidAlphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** A ULID of 26 characters for `nowMs` (ms since the Unix epoch). */
export function ulid(nowMs: number): string {
  // Of the platform's ways to chance the one that draws ahead; its fixed digits are left out.
  const chance = randomUUID();
  const [first, second] = [chance.slice(0, 8) + chance.slice(9, 11), chance.slice(24, 34)];
  return digits(Math.trunc(nowMs), 10) + digits(Number.parseInt(first, 16), 8) + digits(Number.parseInt(second, 16), 8);
}

/** The last `count` digits of a whole number below 2⁵³. */
function digits(value: number, count: number): string {
  let rest = value;
  let text = "";
  for (let place = 0; place < count; place += 1) {
    text = ulidAlphabet[rest % 32]! + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
