// The types that all schemas share: ids, names, times, numbers, colors, time zones.
import { z } from "zod";
import { findHiddenCharacter, visiblePattern } from "./text.ts";

/** The prefixes of ids, by the things that they identify. A lower-case ULID follows, so ids sort by age. */
const idPrefixes = {
  plr: "a player",
  team: "a team",
  usr: "a person",
  ast: "an asset",
  pls: "a playlist",
  lay: "a layout",
  zon: "a zone",
  itm: "an item",
  sch: "a schedule",
  cal: "a calendar",
  cmd: "a command",
  shot: "a screenshot",
  evt: "an event",
  whk: "a webhook",
  dlv: "a delivery",
  tok: "a token",
  inv: "an invitation",
  aud: "an audit entry",
  upl: "an upload",
  shw: "a show",
  prb: "a problem of a player",
  ulk: "an upload link",
  rpl: "a link to a report",
  enr: "an enrolment key",
  rol: "a rollout",
  liv: "a live view",
  bat: "a batch of commands",
  log: "a collected log",
  alr: "an alert",
  mail: "a mail",
  lnk: "a sign-in link",
  idn: "a linked account",
  psk: "a passkey",
  drf: "a draft",
  ver: "a version",
  prv: "a preview ticket",
  nod: "a node of the service",
} as const;
export type IdPrefix = keyof typeof idPrefixes;

/** An id of one kind, such as `plr_01jd3v8q6m9x2k4n7r5t1w0yzh`. */
export function id<P extends IdPrefix>(prefix: P) {
  return z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`), `must be the id of ${idPrefixes[prefix]} (${prefix}_…)`)
    .describe(`Id, \`${prefix}_\` and a ULID`);
}

/** True if a text is an id of this kind. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return id(prefix).safeParse(text).success;
}

/** A name that a person gives: 1 to 200 characters, no hidden ones. */
export const Name = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(visiblePattern, { abort: true, error: ({ input }) => hiddenFault(String(input)) })
  .refine((name) => findHiddenCharacter(name) === null, { error: ({ input }) => hiddenFault(String(input)) });
function hiddenFault(name: string): string {
  return `must not contain ${findHiddenCharacter(name)}: characters that are invisible or change the direction of text are not allowed`;
}
// Numbers from outside have bounds: wide enough for every real value, narrow enough that a Date can hold every result.
const year2200Ms = Date.UTC(2200, 0, 1);
const year9999Ms = Date.UTC(9999, 11, 31);
const maxMs = 1e13;
/** An instant of a clock that players follow, ms since the epoch: 1970 to 2199. */
export const Instant = z.number().min(0).max(year2200Ms);
/** An instant of a clock that may be wrong, ms since the epoch. */
export const RawInstant = z.number().min(-year9999Ms).max(year9999Ms);
/** A duration in ms, up to three centuries. */
export const SpanMs = z.number().min(0).max(maxMs);
/** A difference in ms, positive or negative. */
export const DifferenceMs = z.number().min(-year9999Ms).max(year9999Ms);
/** How long something is valid, in seconds, up to three years. */
export const LifetimeSeconds = z.int().min(0).max(100_000_000);
/** An instant in seconds since the epoch: 1970 to 2199. */
export const InstantSeconds = z
  .number()
  .min(0)
  .max(year2200Ms / 1_000);
/** A number of things. */
export const Count = z.int().min(0).max(1e15);
/** A size in pixels. */
export const Pixels = z.number().min(0).max(1e12);
/** A time on the wire: RFC 3339 in UTC. */
export const Timestamp = z.iso.datetime().describe("RFC 3339, UTC");
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in lower-case hexadecimal");
/** `#rgb`, `#rrggbb` or `#rrggbbaa`. */
export const Color = z.string().regex(/^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$/, "must be a color such as #102030");
/** An IANA time zone that this system knows. */
export const TimeZone = z.string().max(64).refine(isTimeZone, "must be an IANA time zone such as Europe/London");
function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false; // Intl throws a RangeError for an unknown time zone. There is no other way to check.
  }
}

/** For resources that can be moved to the bin and restored. */
export const DeletedAt = Timestamp.nullable().describe(
  "When it was moved to the bin, where it stays for 30 days; null: it is not in the bin",
);
