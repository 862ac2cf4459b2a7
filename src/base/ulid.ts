// ULIDs, ids that sort by time: 48 bits of time and 80 random bits in lower-case Crockford base 32 (github.com/ulid/spec).
import { randomUUID } from "node:crypto";

/** The digits of base 32, smallest first. */
export const ulidAlphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** A ULID of 26 characters for `nowMs` (ms since the Unix epoch). A time before 1970 counts as its beginning. */
export function ulid(nowMs: number): string {
  // randomUUID is the platform's fastest source of random bits because it caches them. Its fixed digits are left out.
  const random = randomUUID();
  const [first, second] = [random.slice(0, 8) + random.slice(9, 11), random.slice(24, 34)];
  return digits(Math.max(0, Math.trunc(nowMs)), 10) + digits(Number.parseInt(first, 16), 8) + digits(Number.parseInt(second, 16), 8);
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
