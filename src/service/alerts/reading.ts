// Translates a player's heartbeat and problems into findings for alerts. Pure. Small, since one is kept in memory for each player.
import type { AlertKind } from "../../protocol/operator/alerts.ts";
import type { Heartbeat } from "../../protocol/device/heartbeat.ts";
import type { PlayerProblem } from "../../protocol/device/player-problems.ts";

/** Something that is wrong with a player. */
export interface Finding {
  /** When it began, ms since the epoch; null: when it was noticed. */
  since: number | null;
  detail: string;
  remedy: string;
}

/** The findings in the latest heartbeat of a player. */
export interface Reading {
  dark: Finding | null;
  wrong: Finding | null;
  full: Finding | null;
  throttled: Finding | null;
  /** New content that is still being downloaded. */
  downloading: Finding | null;
  /** The first problem that raises no alert. */
  other: Finding | null;
  celsius: number | null;
  /** True if its display is meant to be off. */
  isOff: boolean;
}

type ProblemKind = Extract<AlertKind, "dark" | "wrong" | "full">;

const darkCodes = ["not-rendering", "display-off", "content-withheld"];
const wrongCodes = ["identity-shared", "content-reverted", "content-failed", "out-of-sync", "zone-empty", "file-lost"];
const fullCodes = ["no-room", "disk-low", "disk-unwritable"];
// A player that has just started may not have drawn its first picture yet.
const startupMs = 60_000;

/** @param problems of the player, most severe first. */
export function readHeartbeat(heartbeat: Heartbeat, problems: readonly PlayerProblem[]): Reading {
  const display = heartbeat.telemetry?.display ?? null;
  const isDownloading = heartbeat.content.is === "downloading";
  // A late download is not an error as well.
  const isLate = ({ code }: PlayerProblem) => code === "out-of-sync" && isDownloading;
  const late = problems.find(isLate);
  const rest = problems.filter((problem) => problem.code !== "offline" && !isLate(problem));
  const of = (kind: ProblemKind | null) => findingOf(rest.filter(({ code }) => kindOf(code) === kind));
  return {
    dark: of("dark") ?? darkDisplay(display) ?? noPicture(heartbeat),
    wrong: of("wrong"),
    full: of("full") ?? readOnlyDisk(heartbeat),
    throttled: throttling(heartbeat.telemetry?.throttling?.now ?? []),
    downloading: late === undefined ? null : downloadOf(late, heartbeat.content.detail),
    other: of(null),
    celsius: heartbeat.temperature_c,
    isOff: display?.asked === "off",
  };
}

/** The kind of alert that a problem raises; null: none. Players may be newer than the service, so items match by their prefix. */
export function kindOf(code: string): ProblemKind | null {
  if (darkCodes.includes(code)) return "dark";
  if (wrongCodes.includes(code) || code.startsWith("item-")) return "wrong";
  return fullCodes.includes(code) ? "full" : null;
}

function findingOf(problems: readonly PlayerProblem[]): Finding | null {
  const [first] = problems;
  if (first === undefined) return null;
  const more = problems.length - 1;
  const detail = more === 0 ? first.detail : `${first.detail} (and ${more} more ${more === 1 ? "problem" : "problems"})`;
  return { since: Math.min(...problems.map(({ since }) => Date.parse(since))), detail, remedy: first.remedy };
}

function darkDisplay(display: { asked: string | null; power: string | null } | null): Finding | null {
  if (display?.power !== "off" || display.asked === "off") return null;
  const detail = "The display is switched off although it should be on";
  return { since: null, detail, remedy: "Switch it on with the command display.power, or by its remote control." };
}

function noPicture({ rendering, uptime_ms: uptimeMs }: Heartbeat): Finding | null {
  if (rendering || uptimeMs < startupMs) return null;
  return { since: null, detail: "Nothing is drawn on the screen", remedy: "Send the command restart." };
}

function readOnlyDisk({ telemetry }: Heartbeat): Finding | null {
  if (telemetry?.storage?.read_only !== true) return null;
  const remedy = "Restart the device. If it happens again, replace its memory card or disk.";
  return { since: null, detail: "The device's disk is read-only", remedy };
}

function throttling(now: readonly string[]): Finding | null {
  if (now.length === 0) return null;
  const remedy = now.includes("under-voltage")
    ? "Use the maker's power supply and a short, thick cable: the voltage is too low."
    : "Give the device more cooling, or less to show.";
  return { since: null, detail: `The device slows its processor down: ${now.join(", ")}`, remedy };
}

function downloadOf({ since }: PlayerProblem, detail: string | null): Finding {
  const why = detail === null ? "" : `: ${detail}`;
  return {
    since: Date.parse(since),
    detail: `The newest content is still being downloaded${why}`,
    remedy: "Check the screen's network, its download settings and the size of its files.",
  };
}
