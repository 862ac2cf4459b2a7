// Makes ids: a prefix that names the kind and a ULID that is always greater than the one before.
import type { Clock } from "../../base/clock.ts";
import { ulid, ulidAlphabet } from "../../base/ulid.ts";
import type { IdPrefix } from "../../protocol/common.ts";

/** Makes the next id of a kind. Ids of one process sort in the order they were made, whatever the clock does. */
export type MakeId = (prefix: IdPrefix) => string;

/** @param clock gives the time that the ids begin with. */
export function createIds(clock: Clock): MakeId {
  let last = "";
  return (prefix) => {
    const fresh = ulid(clock.now());
    last = fresh > last ? fresh : successor(last);
    return `${prefix}_${last}`;
  };
}

/** The next text of the same length in the order of the alphabet. */
function successor(text: string): string {
  const place = text.length - 1;
  const digit = ulidAlphabet.indexOf(text[place]!);
  return digit < ulidAlphabet.length - 1
    ? text.slice(0, place) + ulidAlphabet[digit + 1]!
    : successor(text.slice(0, place)) + ulidAlphabet[0]!;
}
