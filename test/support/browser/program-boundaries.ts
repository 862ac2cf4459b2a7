// Changes of program on a real display, by schedule, interrupt, override and on a wall, and a checker for the picture at each change.
import { loopEpochMs } from "../../../src/protocol/device/desired-state.ts";
import type { Framebuffer } from "./framebuffer.ts";
import { hexOf, numberedVideo, plainImage } from "../media/media.ts";
import { mixedRow } from "./mixed-loop.ts";
import type { Api } from "../programs/programs.ts";
import { type Appearance, type ObservedSpan, watchScreen } from "./screen-observation.ts";
import type { WebServer } from "../network/web-server.ts";

const red = [220, 30, 40] as const;
const blue = [30, 60, 200] as const;
const teal = [20, 150, 160] as const;
const green = [20, 120, 60] as const;
const amber = [200, 140, 20] as const;
const magenta = [230, 0, 230] as const;

/** The items that the display may show, and a decoy that is in every loop exactly where the program changes. */
const appearances: readonly Appearance[] = [
  { name: "red", color: red },
  { name: "teal", color: teal },
  { name: "video", video: true },
  { name: "blue", color: blue },
  { name: "green", color: green },
  { name: "amber", color: amber },
  { name: "decoy", color: magenta },
];

/** The causes of a change of program. */
export const boundaryKinds = ["schedule", "interrupt", "override", "wall"] as const;
export type BoundaryKind = (typeof boundaryKinds)[number];

/** A service with the layouts of these tests, and a player whose display is watched. */
export interface WatchedPlayer {
  api: Api;
  playerId: string;
  framebuffer: Framebuffer;
  layouts: Layouts;
  slotMs: number;
}

interface Layouts {
  /** Plays red and a video in its even slots, the decoy in the odd ones. */
  even: string;
  /** Plays a web page and text in its odd slots, the decoy in the even ones. */
  odd: string;
  /** Each plays one item for one slot, then the decoy. */
  interrupting: string;
  overriding: string;
  /** Plays one item only. */
  plain: string;
}

// The new state has to reach the player before the first watched change.
const leadMs = 10_000;
// A video frame counts as stale when it is seen this long after the item's end.
const lateMs = 1_000;
const videoFps = 30;
// The upper one of two stacked displays: the layout is centred on the wall and begins halfway down this display.
const wall = { wall_width: 1_920, wall_height: 2_160, left: 0, top: 0, width: 1_920, height: 1_080 };
const wallRow = 540 + mixedRow;

/** Uploads and publishes the layouts with items of `slotMs`. `site` is the one of the mixed loop. */
export async function publishBoundaries(api: Api, site: WebServer, slotMs: number): Promise<Layouts> {
  const still = async (color: readonly [number, number, number]) => {
    const asset_id = await api.upload("still.png", await plainImage(color, 1920, 1080));
    return { type: "image", asset_id, fit: "fill", duration_ms: slotMs };
  };
  const seconds = Math.ceil(slotMs / 1_000) + 1;
  const asset_id = await api.upload("video.mp4", await numberedVideo(seconds, videoFps));
  const video = { type: "video", asset_id, fit: "fill", muted: true, duration_ms: slotMs };
  const web = { type: "web", url: `${site.origin}/teal`, duration_ms: slotMs };
  const words = { type: "text", text: "Welcome", font_size: 120, background_color: `#${hexOf(blue)}`, duration_ms: slotMs };
  const decoy = await still(magenta);
  const layout = async (items: Record<string, unknown>[]): Promise<string> => (await api.publish(items)).layoutId;
  return {
    even: await layout([await still(red), decoy, video, decoy]),
    odd: await layout([decoy, web, decoy, words]),
    interrupting: await layout([await still(green), decoy]),
    overriding: await layout([await still(amber), decoy]),
    plain: await layout([await still(red)]),
  };
}

/** Watches `count` changes of program of one kind. The player's own layout is `even`. */
export async function watchBoundaries(watched: WatchedPlayer, kind: BoundaryKind, count: number): Promise<BoundaryChecker> {
  const { framebuffer, slotMs } = watched;
  const checker = new BoundaryChecker(slotMs, kind);
  await using _program = await begin(watched, kind, count);
  const commands = kind === "override" ? override(watched, checker, count) : Promise.resolve();
  const y = Math.round(((kind === "wall" ? wallRow : mixedRow) * framebuffer.height) / 1_080);
  await watchScreen(
    framebuffer,
    { y, loop: appearances },
    (span) => checker.add(span),
    () => checker.changes >= count,
  );
  await commands;
  return checker;
}

/** Sets up the program; disposing of the result removes it. */
async function begin({ api, playerId, layouts, slotMs }: WatchedPlayer, kind: BoundaryKind, count: number): Promise<AsyncDisposable> {
  const scheduleIds: string[] = [];
  const target = { type: "player", player_id: playerId };
  const iso = (at: number): string => new Date(at).toISOString();
  const addSchedule = async (fields: Record<string, unknown>): Promise<void> => {
    scheduleIds.push((await api.ok("POST", "schedules", { name: kind, target, ...fields })).id);
  };
  const long = { starts_at: iso(Date.now() - 60_000) };
  if (kind === "wall") {
    await api.ok("PATCH", `players/${playerId}`, { wall });
  }
  if (kind === "schedule" || kind === "wall") {
    const now = Math.floor((Date.now() + leadMs - loopEpochMs) / slotMs);
    const first = now % 2 === 1 ? now : now + 1;
    for (let window = 0; window <= count / 2; window += 1) {
      const from = loopEpochMs + (first + 2 * window) * slotMs;
      await addSchedule({ layout_id: layouts.odd, starts_at: iso(from), ends_at: iso(from + slotMs) });
    }
  } else if (kind === "interrupt") {
    // Each hour begins with half a pause between interrupts; the loop is shifted by it, so that items change when interrupts do.
    await addSchedule({ layout_id: layouts.even, ...long, sync_epoch: iso(loopEpochMs + slotMs / 2 + slotMs) });
    await addSchedule({ layout_id: layouts.interrupting, ...long, interrupt: { share_percent: 50, play_ms: slotMs } });
  } else {
    await addSchedule({ layout_id: layouts.plain, ...long });
  }
  return {
    async [Symbol.asyncDispose]() {
      for (const id of scheduleIds) await api.ok("DELETE", `schedules/${id}`);
      if (kind === "wall") await api.ok("PATCH", `players/${playerId}`, { wall: null });
    },
  };
}

/** Sets overrides one after the other, each as long as its item. */
async function override({ api, playerId, layouts, slotMs }: WatchedPlayer, checker: BoundaryChecker, count: number): Promise<void> {
  while (checker.changes < count) {
    await api.command(playerId, "override.set", { layout_id: layouts.overriding, duration_ms: slotMs });
    await new Promise((resolve) => setTimeout(resolve, 1.5 * slotMs));
  }
}

/** Counts changes, and pictures that must not appear at them. */
export class BoundaryChecker {
  changes = 0;
  blankMs = 0;
  foreignMs = 0;
  /** Observations of an item whose layout should have left, and of frames that a play cannot have reached. */
  stale = 0;
  /** How late each change was seen; not for overrides, which begin on arrival. */
  readonly lateMs: number[] = [];
  readonly seen = new Map<string, number>();
  readonly unexpected: string[] = [];
  readonly #slotMs: number;
  readonly #kind: BoundaryKind;
  #item: string | null = null;
  #frame = -1;

  constructor(slotMs: number, kind: BoundaryKind) {
    this.#slotMs = slotMs;
    this.#kind = kind;
  }

  /** Adds an observation. Before the first change of program only the player's own layout plays, with its decoys. */
  add(span: ObservedSpan): void {
    const isOther = span.is === "item" && !["red", "video", "decoy"].includes(span.name);
    if (this.#item === null && !isOther) return;
    if (span.is === "blank") this.blankMs += span.ms;
    if (span.is === "foreign" || span.is === "fade") this.foreignMs += span.ms;
    if (span.is !== "item" || span.name === "decoy") {
      if (span.name === "decoy") this.stale += 1;
      if (this.unexpected.length < 5) this.unexpected.push(`${span.name} for ${Math.round(span.ms)} ms after ${this.#item}`);
      return;
    }
    if (span.name !== this.#item) {
      if (this.#item !== null) this.#change(span);
      this.#item = span.name;
      this.#frame = -1;
      this.seen.set(span.name, (this.seen.get(span.name) ?? 0) + 1);
    }
    if (span.frame === null) return;
    if (span.frame < this.#frame || span.frame > ((this.#slotMs + lateMs) / 1_000) * videoFps) this.stale += 1;
    this.#frame = span.frame;
  }

  #change({ at }: ObservedSpan): void {
    this.changes += 1;
    if (this.#kind === "override") return;
    const shift = this.#kind === "interrupt" ? this.#slotMs / 2 : 0;
    const into = (performance.timeOrigin + at - loopEpochMs - shift) % this.#slotMs;
    this.lateMs.push(into > this.#slotMs / 2 ? into - this.#slotMs : into);
  }
}
