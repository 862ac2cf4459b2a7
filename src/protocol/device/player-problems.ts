// The catalog of player problems: each code with its title and remedy. Shared by the player and the service.
import { z } from "zod";
import { deviceText } from "../text.ts";
import { id, Timestamp } from "../common.ts";

/** Ordered by severity, most severe first. `by` says who detects the problem. */
export const problemCatalog = {
  offline: {
    by: "service",
    title: "The screen sends no heartbeats",
    remedy:
      "Check the device's power and network. It keeps playing the stored content. The other problems listed are those of its last heartbeat.",
  },
  "identity-shared": {
    by: "service",
    title: "Several devices use this screen's identity, as clones of one disk do",
    remedy:
      "Pair every clone again: on all of these devices but one, stop signage-player, delete its data folder (--data) and start it. It then shows a pairing code.",
  },
  "content-withheld": {
    by: "player",
    title: "Content is withheld because showing it made the browser fail again and again",
    remedy: "Remove the item that was added or changed last, or give it a smaller file. Then send the command restart.",
  },
  "not-rendering": {
    by: "player",
    title: "No frame is presented on the screen",
    remedy: "Send the command restart. If the problem returns, check the device's memory, graphics and display.",
  },
  "display-off": {
    by: "player",
    title: "The display is switched off",
    remedy: "Switch it on, or leave it: the screen continues once it is on.",
  },
  "content-reverted": {
    by: "player",
    title: "The newest content failed on the screen, and the content before it plays",
    remedy: "Fix or remove the items that the detail names. The screen tries a changed state at once, and the same one again by itself.",
  },
  "no-room": {
    by: "player",
    title: "There is no room for the newest content",
    remedy:
      "The screen keeps what it plays, and downloads the newest content by itself once there is room. Remove items, use smaller files, free space on its disk, use a larger disk, or raise its quota (--quota).",
  },
  "content-failed": {
    by: "player",
    title: "A file of the newest content cannot be fetched",
    remedy: "The screen retries by itself. Check its network and disk, and that the asset is still ready.",
  },
  "out-of-sync": {
    by: "service",
    title: "The screen shows an older state than the published one",
    remedy: "Look at what it is downloading. If it downloads nothing, send the command restart.",
  },
  "zone-empty": {
    by: "player",
    title: "A zone shows nothing",
    remedy: "Fix the failing items of its playlist, or add an item that is always due.",
  },
  "file-lost": {
    by: "player",
    title: "Stored files are damaged or missing, and their items are skipped",
    remedy: "The screen fetches them again by itself. If it happens again, check or replace its memory card or disk.",
  },
  "item-load": {
    by: "player",
    title: "An item could not be loaded",
    remedy:
      "Check its address, and that it is reachable from the screen's network. A service on the screen's own device needs the flag --allow-local of signage-player.",
  },
  "item-decode": {
    by: "player",
    title: "An item's file could not be read",
    remedy: "Export the file again and upload it.",
  },
  "item-unsupported": {
    by: "player",
    title: "The screen cannot show an item of this kind",
    remedy: "Convert or replace the item as the detail says.",
  },
  "item-timeout": {
    by: "player",
    title: "An item was not ready in time",
    remedy: "Use a smaller file or a faster page, or give the item a longer duration.",
  },
  "item-stalled": {
    by: "player",
    title: "An item stopped while it was on screen",
    remedy: "Check the page's script or the stream's source. Convert a video to a lower bit rate.",
  },
  "item-blank": {
    by: "player",
    title: "A web page stayed blank",
    remedy: "Open its address in the screen's network: it may require a login or need more time.",
  },
  "item-crashed": {
    by: "player",
    title: "A web page crashed its process",
    remedy: "Use a page that needs less memory, or refresh it more often.",
  },
  "item-text-too-long": {
    by: "player",
    title: "A text does not fit its zone",
    remedy: "Shorten the text, or give it a smaller font size or a larger zone.",
  },
  "item-qr-unreadable": {
    by: "player",
    title: "A QR code is hard to scan",
    remedy: "Give it a larger zone, less content, or more contrast.",
  },
  "item-font-missing": {
    by: "player",
    title: "An item is drawn in another font than its own",
    remedy:
      "Do as the detail says: embed the font in the SVG or turn its text into paths; if a shipped font is missing, reinstall the package (apt install --reinstall signage-player).",
  },
  "disk-unwritable": {
    by: "player",
    title: "The device cannot read or write its disk",
    remedy:
      "Its screen keeps playing, but new content and commands have to wait. What cannot be read is left as it is. Free some space, or replace a disk that is read-only or broken.",
  },
  "records-lost": {
    by: "player",
    title: "Play events or messages of the screen were lost",
    remedy:
      "The proof of play or the results of commands are incomplete. Solve the problem of the disk, and keep the screen connected to the service. If the service refused messages, update both.",
  },
  "record-unreadable": {
    by: "player",
    title: "The program made a record that it could not read again, and did not store it",
    remedy:
      "This is a fault of the program, not of the device. Update its software, and report the detail to the makers. What the detail names may be missing after a restart.",
  },
  "disk-damaged": {
    by: "player",
    title: "The device's disk has damaged files",
    remedy: "The screen has repaired or replaced them. If it happens again, replace its memory card or disk.",
  },
  "gpu-failed": {
    by: "player",
    title: "The browser draws without the GPU, because it kept failing with it",
    remedy:
      "The screen tries the GPU again at its browser's first start after an hour, or after the command restart. If it fails again, check the device's graphics driver and cooling.",
  },
  "disk-low": {
    by: "player",
    title: "The device's disk is nearly full",
    remedy: "Free some space or use a larger disk: new content may not fit.",
  },
  "recurring-failed": {
    by: "player",
    title: "A recurring command failed at its last time",
    remedy: "The others, and the display's opening hours, are not affected. Change the command as the detail says, or remove it.",
  },
  "update-failed": {
    by: "player",
    title: "A new version failed, and the one before runs again",
    remedy:
      "The screen tries it again by itself, at growing intervals, and a newer version at once. If the version before failed the same test, the version is not the cause: check the device's network, memory and display.",
  },
  "update-blocked": {
    by: "player",
    title: "The version that the screen should run cannot be installed",
    remedy: "What runs is untouched, and the screen tries again by itself. The detail says what to do.",
  },
  "connection-impaired": {
    by: "player",
    title: "The screen's connection to the service is impaired",
    remedy:
      "Check the screen's network: its proxy, firewall and login page must let requests and WebSockets through to the service. Without a WebSocket, commands take up to ten seconds.",
  },
  "service-time-wrong": {
    by: "player",
    title: "The service's time differs from that of the time servers by more than a minute",
    remedy: "The screen uses the time servers. Correct the clock of the service's machine, or the time servers given with --ntp.",
  },
  "clock-unsure": {
    by: "player",
    title: "The screen does not know how accurate its clock is",
    remedy: "Connect it to the service, or give it time servers with --ntp: schedules and video walls depend on the clock.",
  },
} as const;
export type ProblemCode = keyof typeof problemCatalog;
/** The codes, most severe first. */
export const problemCodes = Object.keys(problemCatalog) as ProblemCode[];

const longestText = 300;

/** A problem that a player has had since `since`. */
export const PlayerProblem = z
  .object({
    // Not an enum: a player may be newer than its service.
    code: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,39}$/)
      .describe(`One of ${problemCodes.join(", ")}; later versions may add codes`),
    since: Timestamp,
    zone_id: id("zon").nullable().describe("Null: the whole screen"),
    item_id: id("itm").nullable(),
    detail: deviceText(longestText).describe("What is wrong, for people"),
    remedy: deviceText(longestText).describe("What to do about it"),
  })
  .meta({ id: "PlayerProblem" });
export type PlayerProblem = z.infer<typeof PlayerProblem>;

/** The limit of one heartbeat. */
const maxProblems = 50;
// A whole socket message is limited to 64 kB.
const maxBytes = 16_384;

/** The problems that fit in a heartbeat, most severe first, and how many did not fit. */
export interface ProblemList {
  problems: PlayerProblem[];
  problems_left_out: number;
}

export const PlayerProblems = z.array(PlayerProblem).max(maxProblems + problemCodes.length);
export const ProblemsLeftOut = z.int().min(0).max(100_000).describe("How many further problems did not fit");

/** The fields about problems in heartbeats and responses. */
export const problemFields = {
  problems: PlayerProblems.describe(
    "Problems, most severe first. While the player is offline: this fact, and the problems of its last heartbeat",
  ),
  problems_left_out: ProblemsLeftOut,
};

/** Creates a problem of the catalog. `detail` is appended to the title. */
export function createProblem(
  code: ProblemCode,
  sinceMs: number,
  about: { zone_id?: string; item_id?: string; detail?: string } = {},
): PlayerProblem {
  const { title, remedy } = problemCatalog[code];
  const { zone_id = null, item_id = null, detail } = about;
  const text = detail === undefined || detail === "" ? `${title}.` : `${title}: ${detail}`;
  return { code, since: new Date(sinceMs).toISOString(), zone_id, item_id, detail: text.slice(0, longestText), remedy };
}

/** Sorts problems by severity and cuts the list to fit in a heartbeat. */
export function fitProblems(all: readonly PlayerProblem[]): ProblemList {
  const order: readonly string[] = problemCodes;
  const bySeverity = all.toSorted((a, b) => order.indexOf(a.code) - order.indexOf(b.code) || (a.since < b.since ? -1 : 1));
  let bytes = 0;
  const problems: PlayerProblem[] = [];
  for (const problem of bySeverity.slice(0, maxProblems)) {
    bytes += new TextEncoder().encode(JSON.stringify(problem)).length;
    if (bytes > maxBytes) break;
    problems.push(problem);
  }
  return { problems, problems_left_out: Math.min(all.length - problems.length, 100_000) };
}
