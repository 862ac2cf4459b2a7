// Generates ids: a prefix for the kind of resource, and a ULID that is greater than every earlier one.
import type { Clock } from "../../base/clock.ts";
import { ulid, ulidAlphabet } from "../../base/ulid.ts";
import type { IdPrefix } from "../../protocol/common.ts";

/** Generates an id. The ids of one process sort in the order of their creation, even if the clock jumps back. */
export type MakeId = (prefix: IdPrefix) => string;

/** @param clock gives the time at the start of each id. */
export function createIds(clock: Clock): MakeId {
  let last = "";
  return (prefix) => {
    const fresh = ulid(clock.now());
    last = fresh > last ? fresh : successor(last);
    return `${prefix}_${last}`;
  };
}

/** The next text of the same length in alphabetical order. */
function successor(text: string): string {
  const place = text.length - 1;
  const digit = ulidAlphabet.indexOf(text[place]!);
  return digit < ulidAlphabet.length - 1
    ? text.slice(0, place) + ulidAlphabet[digit + 1]!
    : successor(text.slice(0, place)) + ulidAlphabet[0]!;
}
