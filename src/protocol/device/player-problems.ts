// The problems of a player: one list of codes with title and remedy, for the player, the service and whoever reads them.
import { z } from "zod";
import { deviceText } from "../text.ts";
import { id, Timestamp } from "../common.ts";

/** Title and remedy of each code, the gravest first. `service`: only the service can tell it, not the player itself. */
export const problemCatalog = {
  offline: {
    by: "service",
    title: "The player is not heard",
    remedy: "Check the box's power and network. Its screen goes on with what it has; what else is listed here is what it told last.",
  },
  "content-withheld": {
    by: "player",
    title: "Content is withheld because showing it made the browser fail again and again",
    remedy: "Take out the item that was added or changed last, or give it a smaller file; then send the command restart.",
  },
  "not-rendering": {
    by: "player",
    title: "No frame is presented on the screen",
    remedy: "Send the command restart. If it comes back, check the box's memory, graphics and display.",
  },
  "content-failed": {
    by: "player",
    title: "A file of the newest content cannot be fetched",
    remedy: "It is tried again by itself. Check the player's network and disk, and that the asset is still ready.",
  },
  "out-of-sync": {
    by: "service",
    title: "The screen shows an older state than the one published",
    remedy: "Read `content` in its now. If nothing is on its way, send the command restart.",
  },
  "zone-empty": {
    by: "player",
    title: "A zone shows nothing",
    remedy: "Mend the items of its playlist that fail, or add one that is always due.",
  },
  "item-load": {
    by: "player",
    title: "An item could not be loaded",
    remedy:
      "Check its address, and whether it can be reached from the player's network. A service on the box itself needs the player's flag --allow-local.",
  },
  "item-decode": {
    by: "player",
    title: "An item's file could not be read",
    remedy: "Upload the file again, exported anew.",
  },
  "item-unsupported": {
    by: "player",
    title: "The player cannot show an item of this kind",
    remedy: "Convert it as the detail says, or replace it.",
  },
  "item-timeout": {
    by: "player",
    title: "An item was not ready in time",
    remedy: "Use a smaller file or a faster page, or let the item stay longer.",
  },
  "item-stalled": {
    by: "player",
    title: "An item stopped while it was on the screen",
    remedy: "Check the page's script or the stream's source; convert a video to a lower bit rate.",
  },
  "item-blank": {
    by: "player",
    title: "A page stayed empty",
    remedy: "Open its address on the player's network: it may ask for a login or need longer.",
  },
  "item-crashed": {
    by: "player",
    title: "A page ended its own process",
    remedy: "Use a page that takes less memory, or refresh it more often.",
  },
  "item-text-too-long": {
    by: "player",
    title: "A text does not fit where it stands",
    remedy: "Shorten the text, or give it a smaller size or a larger zone.",
  },
  "item-qr-unreadable": {
    by: "player",
    title: "A QR code can hardly be read by a camera",
    remedy: "Give it a larger zone, a shorter content, or colours that differ more.",
  },
  "disk-low": {
    by: "player",
    title: "The player's disk is nearly full",
    remedy: "Free space on the box or use a larger disk: new content may not fit.",
  },
  "clock-unsure": {
    by: "player",
    title: "The player cannot tell how right its clock is",
    remedy: "Let it reach the service, or give it time servers with --ntp: schedules and walls go by the clock.",
  },
} as const;
export type ProblemCode = keyof typeof problemCatalog;
/** The codes, the gravest first. */
export const problemCodes = Object.keys(problemCatalog) as ProblemCode[];

const longestText = 300;

/** Something that is wrong with a screen, from `since` on until it is over. */
export const PlayerProblem = z.object({
  // No enum: a service may be older than its players.
  code: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,39}$/)
    .describe(`One of ${problemCodes.join(", ")}; later versions may know more`),
  since: Timestamp,
  zone_id: id("zon").nullable().describe("Null: the whole screen"),
  item_id: id("itm").nullable(),
  detail: deviceText(longestText).describe("What is wrong, in words"),
  remedy: deviceText(longestText).describe("What to do about it"),
});
export type PlayerProblem = z.infer<typeof PlayerProblem>;

/** As many as a heartbeat holds. */
const maxProblems = 50;
// A socket's message has 64 kB for everything.
const maxBytes = 16_384;

/** A list of problems that fits into a heartbeat, the gravest first, and how many there was no room for. */
export interface ProblemList {
  problems: PlayerProblem[];
  problems_left_out: number;
}

export const PlayerProblems = z.array(PlayerProblem).max(maxProblems + problemCodes.length);
export const ProblemsLeftOut = z.int().min(0).max(100_000).describe("Further problems that there was no room for");

/** What a player or an answer says of problems. */
export const problemFields = {
  problems: PlayerProblems.describe("What is wrong, the gravest first. While the player is offline: that, and what it told last"),
  problems_left_out: ProblemsLeftOut,
};

/** A problem of the catalogue. `detail` says more than the title where there is more to say. */
export function createProblem(
  code: ProblemCode,
  sinceMs: number,
  about: { zone_id?: string; item_id?: string; detail?: string } = {},
): PlayerProblem {
  const { title, remedy } = problemCatalog[code];
  const { zone_id = null, item_id = null, detail } = about;
  const words = detail === undefined || detail === "" ? `${title}.` : `${title}: ${detail}`;
  return { code, since: new Date(sinceMs).toISOString(), zone_id, item_id, detail: words.slice(0, longestText), remedy };
}

/** Sorts and cuts a list so that it fits into a heartbeat. */
export function fitProblems(all: readonly PlayerProblem[]): ProblemList {
  const places: readonly string[] = problemCodes;
  const sorted = all.toSorted((a, b) => places.indexOf(a.code) - places.indexOf(b.code) || (a.since < b.since ? -1 : 1));
  let bytes = 0;
  const problems: PlayerProblem[] = [];
  for (const problem of sorted.slice(0, maxProblems)) {
    bytes += new TextEncoder().encode(JSON.stringify(problem)).length;
    if (bytes > maxBytes) break;
    problems.push(problem);
  }
  return { problems, problems_left_out: Math.min(all.length - problems.length, 100_000) };
}
