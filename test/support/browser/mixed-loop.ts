// A loop of picture, video, web page and text with cuts and crossfades, and a checker for the display.
import { hexOf, numberedVideo, plainImage } from "../media/media.ts";
import type { Api } from "../programs/programs.ts";
import type { Appearance, ObservedSpan } from "./screen-observation.ts";
import { type RouteHandler, colouredPage, startWebServer, type WebServer } from "../network/web-server.ts";

const red = [220, 30, 40] as const;
const blue = [30, 60, 200] as const;
const green = [20, 120, 60] as const;
const teal = [20, 150, 160] as const;
const violet = [120, 40, 180] as const;
const amber = [200, 140, 20] as const;

/** How the loop's items look, in order; every kind is shown by a cut and by a crossfade. */
export const mixedLoop: readonly Appearance[] = [
  { name: "red", color: red },
  { name: "video", video: true },
  { name: "green", color: green },
  { name: "teal", color: teal },
  { name: "blue", color: blue },
  { name: "video", video: true },
  { name: "violet", color: violet },
  { name: "amber", color: amber },
];
const fade = { type: "crossfade", duration_ms: 300, easing: "linear" };
const videoFps = 30;
/** A row above the text in the middle of the display. */
export const mixedRow = 200;

/** The site of the loop's web pages. Each response takes `delayMs`. */
export function startMixedSite(delayMs = 0): Promise<WebServer> {
  const late = (color: readonly number[]): RouteHandler => {
    const page = colouredPage(`rgb(${color.join()})`);
    return (_request, response) => {
      const timer = setTimeout(() => response.writeHead(200, { "content-type": "text/html" }).end(page), delayMs);
      response.once("close", () => clearTimeout(timer));
    };
  };
  return startWebServer("127.0.0.7", { "/teal": late(teal), "/violet": late(violet) });
}

/** Uploads and publishes the loop with slots of `slotMs`. */
export async function publishMixedLoop(api: Api, site: WebServer, slotMs: number): Promise<{ layoutId: string }> {
  const still = async (color: readonly [number, number, number]) => ({
    type: "image",
    asset_id: await api.upload("still.png", await plainImage(color, 1920, 1080)),
    fit: "fill",
    duration_ms: slotMs,
  });
  const words = (color: readonly [number, number, number]) => ({
    type: "text",
    text: "Welcome",
    font_size: 120,
    background_color: `#${hexOf(color)}`,
    duration_ms: slotMs,
  });
  const web = (path: string) => ({ type: "web", url: `${site.origin}${path}`, duration_ms: slotMs });
  const video = {
    type: "video",
    asset_id: await api.upload("video.mp4", await numberedVideo(4, videoFps)),
    fit: "fill",
    muted: true,
    duration_ms: slotMs,
  };
  return api.publish([
    await still(red),
    { ...video, transition: fade },
    words(green),
    { ...web("/teal"), transition: fade },
    { ...(await still(blue)), transition: fade },
    video,
    web("/violet"),
    { ...words(amber), transition: fade },
  ]);
}

/** Counts changes, and pictures that must not appear. */
export class MixedLoopChecker {
  changes = 0;
  blankMs = 0;
  foreignMs = 0;
  /** The first few blank and foreign observations, with the observation before each. */
  readonly unexpected: string[] = [];
  /** Video frames out of order, or that the play cannot have reached. */
  staleFrames = 0;
  fades = 0;
  /** How often each item of the loop was seen to begin. */
  readonly seen = new Map<string, number>();
  readonly spans: ObservedSpan[] = [];
  #item: string | null = null;
  #frame = -1;
  #last = "";
  readonly #lastFrame: number;

  constructor(slotMs: number) {
    this.#lastFrame = Math.ceil(((slotMs + 1_000) / 1_000) * videoFps);
  }

  /** Adds an observation; anything before the first item does not count. */
  add(span: ObservedSpan): void {
    if (this.#item === null && span.is !== "item") return;
    if (span.is === "blank") this.blankMs += span.ms;
    if (span.is === "foreign") this.foreignMs += span.ms;
    const isWrong = span.is === "blank" || span.is === "foreign";
    if (isWrong && this.unexpected.length < 5) this.unexpected.push(`${span.name} for ${Math.round(span.ms)} ms after ${this.#last}`);
    this.#last = `${span.name} ${span.frame ?? ""} (${Math.round(span.ms)} ms)`;
    if (span.is === "fade") this.fades += 1;
    if (span.is !== "item") return;
    if (span.name !== this.#item) {
      if (this.#item !== null) this.changes += 1;
      this.#item = span.name;
      this.#frame = -1;
      this.spans.push(span);
      this.seen.set(span.name, (this.seen.get(span.name) ?? 0) + 1);
    }
    if (span.frame === null) return;
    if (span.frame < this.#frame || span.frame > this.#lastFrame) this.staleFrames += 1;
    this.#frame = span.frame;
  }
}
