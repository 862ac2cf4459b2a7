// A screen for tests of web and html items: the real page, the player's surface and a real Chromium in a window.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { type Clock, createSystemClock } from "../../../src/base/clock.ts";
import { OutboundHttp } from "../../../src/base/http/outbound-http.ts";
import { silentLog } from "../../../src/base/log.ts";
import { findChromium } from "../../../src/host/chromium/find-chromium.ts";
import { createChromiumHost } from "../../../src/host/chromium/host.ts";
import type { Host } from "../../../src/player/host.ts";
import { applyProgram, stageAt } from "../../../src/playback/playback.ts";
import { Surface } from "../../../src/player/surface/surface.ts";
import { contentPolicy } from "../../../src/player/web-items/outbound-policy.ts";
import { WebItems } from "../../../src/player/web-items/web-items.ts";
import { PlaylistItem } from "../../../src/protocol/content/items.ts";
import type { Rotation } from "../../../src/protocol/content/orientation.ts";
import type { DesiredAsset } from "../../../src/protocol/device/desired-state.ts";
import type { FromPage } from "../../../src/protocol/page-messages.ts";
import type { Scene, Slot } from "../../../src/protocol/scene.ts";
import { programAt } from "../../../src/schedule/program.ts";
import { temporaryFolder as browserFolder } from "../../host/hosts-under-test.ts";
import { startXvfb, type Xvfb } from "../../support/browser/xvfb.ts";
import { zipOf, type ZipFile } from "../../support/media/zip.ts";
import { startWebServer, type WebServer } from "../../support/network/web-server.ts";
import { builtRenderer } from "../../support/page-build.ts";
import { waitUntil } from "../../support/polling.ts";
import { assetOf, desiredOf, newId, readyOf } from "../../support/states.ts";
import { sitePages } from "./site-pages.ts";

const never = new AbortController().signal;
// Loops are counted from the epoch: at this instant the first item of a loop of hours is due.
const startMs = Date.parse("2026-01-01T00:00:00Z");
const system = createSystemClock();
/** The time of the screen. */
export const clock: Clock = { ...system, now: () => startMs + system.monotonic() };

// A page that keeps replacing itself reaches this number of documents long before the page's time limit, even on a busy machine.
const documents = 8;
const iframes = { loadMs: 10_000, partsMs: 1_000, blankMs: 3_000, documents, probe: { intervalMs: 300, limitMs: 2_000 } };

type Colour = readonly number[];

export const isGreen = ([red, green, blue]: Colour): boolean => red! < 40 && green! > 120 && blue! < 40;
export const isBlue = ([red, green, blue]: Colour): boolean => red! < 40 && green! < 40 && blue! > 160;

/** An item as the service would send it, with its defaults. */
export function item(about: Record<string, unknown>): PlaylistItem {
  return PlaylistItem.parse({ id: newId("itm"), duration_ms: 3_600_000, ...about });
}

interface Parts {
  web: WebServer;
  surface: Surface;
  host: Host;
  display: Xvfb;
  sites: WebItems;
  /** The folder of the browser's profile. */
  profile: string;
  /** The folder of the bundles. */
  folder: string;
}

/** The screen, 960 × 540, and a web server with {@link sitePages}. Disposing it stops both. */
export class SiteScreen implements AsyncDisposable {
  readonly received: FromPage[] = [];
  readonly web: WebServer;
  readonly surface: Surface;
  readonly host: Host;
  readonly display: Xvfb;
  /** The folder of the browser's profile. */
  readonly profile: string;
  /** Whether the page at /counts answers with an error. */
  isDown = false;
  readonly #sites: WebItems;
  readonly #folder: string;
  readonly #owned: AsyncDisposableStack;

  private constructor({ web, surface, host, display, sites, profile, folder }: Parts, owned: AsyncDisposableStack) {
    this.web = web;
    this.surface = surface;
    this.host = host;
    this.display = display;
    this.profile = profile;
    this.#sites = sites;
    this.#folder = folder;
    this.#owned = owned;
    surface.onMessage((message) => this.received.push(message), never);
  }

  /** Starts the server, an X display and the browser, and opens the page. */
  static async start(): Promise<SiteScreen> {
    await using owned = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), "signage-sites-"));
    owned.defer(() => rm(folder, { recursive: true, force: true }));
    const profile = await browserFolder();
    owned.defer(() => rm(profile, { recursive: true, force: true, maxRetries: 5 }));
    const pages = sitePages(() => screen.isDown);
    const web = owned.use(await startWebServer("127.0.0.2", pages));
    const outboundHttp = owned.use(new OutboundHttp({ policy: contentPolicy() }));
    const surface = owned.use(
      await Surface.open({
        owner: "tests",
        port: null,
        rendererFolder: await builtRenderer(),
        media: () => null,
        stream: () => null,
        outboundHttp,
        clock,
        log: silentLog,
      }),
    );
    const display = owned.use(await startXvfb({ width: 960, height: 540 }));
    const host = createChromiumHost({
      executable: await findChromium(),
      profileFolder: profile,
      display: { headless: false, window: null },
      env: { ...process.env, DISPLAY: display.display },
      log: silentLog,
      clock,
      limits: { iframes },
      network: { mayReachLocal: () => true },
    });
    const sites = owned.use(await WebItems.open({ host, surface, media: (name) => ({ folder, name }), log: silentLog }));
    owned.use(host);
    await host.open(surface.hostPage, never);
    const screen: SiteScreen = new SiteScreen({ web, surface, host, display, sites, profile, folder }, owned.move());
    return screen;
  }

  /** Forgets what the page and the server have received. */
  reset(): void {
    this.received.length = 0;
    this.web.requests.length = 0;
    this.isDown = false;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#owned.disposeAsync();
  }

  /** Draws items in one zone that fills the display, as the player does. Returns a function that draws the loop's current state. */
  draw(items: PlaylistItem[], assets: DesiredAsset[] = [], rotation: Rotation = 0): () => void {
    const desired = desiredOf(items, assets);
    const size = rotation % 180 === 0 ? { width: 960, height: 540 } : { width: 540, height: 960 };
    Object.assign(desired.layout!, size);
    Object.assign(desired.layout!.zones[0]!, size);
    const { program } = programAt(readyOf(desired), clock.now());
    const playback = applyProgram(null, program, clock.now());
    this.#sites.declare(desired);
    const next = (): void => {
      const { stage } = stageAt(playback, clock.now(), "UTC")!;
      const scene: Scene = { screen: { is: "stage", stage: this.#sites.withBundleUrls(stage) }, identify: null, rotation };
      this.surface.show(scene);
    };
    next();
    return next;
  }

  /** Draws up to three items one after the other, the first from now on. */
  drawFromNow(items: PlaylistItem[]): void {
    const desired = desiredOf(items, []);
    const size = { width: 960, height: 540 };
    Object.assign(desired.layout!, size);
    Object.assign(desired.layout!.zones[0]!, size);
    this.#sites.declare(desired);
    const { program } = programAt(readyOf(desired), clock.now());
    const stage = this.#sites.withBundleUrls(stageAt(applyProgram(null, program, clock.now()), clock.now(), "UTC")!.stage);
    let at = clock.now();
    const slots = items.map((one): Slot => {
      const slot = stage.zones[0]!.slots.find(({ item: { item_id } }) => item_id === one.id)!;
      const startsAt = at;
      at += one.duration_ms!;
      return { ...slot, key: `${one.id}@${startsAt}`, starts_at: startsAt, ends_at: at, offset_ms: 0 };
    });
    this.surface.show({ screen: { is: "stage", stage: { ...stage, zones: [{ ...stage.zones[0]!, slots }] } }, identify: null });
  }

  /** Draws zones side by side, each with one item from now on. */
  drawSideBySide(items: PlaylistItem[]): void {
    const desired = desiredOf(items, []);
    this.#sites.declare(desired);
    const { program } = programAt(readyOf(desired), clock.now());
    const stage = this.#sites.withBundleUrls(stageAt(applyProgram(null, program, clock.now()), clock.now(), "UTC")!.stage);
    const at = clock.now();
    const width = 960 / items.length;
    const zones = items.map((one, index) => {
      const slot = stage.zones[0]!.slots.find(({ item: { item_id } }) => item_id === one.id)!;
      const slots = [{ ...slot, key: `${one.id}@${at}`, starts_at: at, ends_at: at + one.duration_ms!, offset_ms: 0 }];
      return { ...stage.zones[0]!, id: newId("zon"), left: width * index, top: 0, width, height: 540, slots };
    });
    this.surface.show({ screen: { is: "stage", stage: { ...stage, key: newId("stg"), width: 960, height: 540, zones } }, identify: null });
  }

  async message<T extends FromPage["type"]>(type: T, itemId: string): Promise<Extract<FromPage, { type: T }>> {
    const found = () => this.received.find((one) => one.type === type && "item_id" in one && one.item_id === itemId);
    await waitUntil(`${type} of the item`, () => found() !== undefined).catch((cause: unknown) => {
      throw new Error(`received ${JSON.stringify(this.received.filter(({ type: kind }) => kind !== "beat" && kind !== "clock"))}`, {
        cause,
      });
    });
    return found() as Extract<FromPage, { type: T }>;
  }

  /** Resolves when the page has sent `count` more heartbeats; calls `look` again and again until then. */
  async beatsLater(count: number, look = (): unknown => undefined): Promise<void> {
    const beats = (): number => this.received.filter(({ type }) => type === "beat").length;
    const wanted = beats() + count;
    await waitUntil("the page's heartbeats", () => (look(), beats() >= wanted));
  }

  /** The colour on screen at a point. */
  async pixel(x: number, y: number): Promise<number[]> {
    const { bytes } = await this.host.capture(never);
    const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
    const at = (y * info.width + x) * info.channels;
    return [data[at]!, data[at + 1]!, data[at + 2]!];
  }

  /** What a page has reported to the web server by a request of /report. */
  reported(what: string): string | undefined {
    return this.web.requests.map(({ path }) => new URL(path, "http://x").searchParams.get(what)).find((how) => how !== null) ?? undefined;
  }

  /** Stores the files of a bundle as an asset. */
  async bundle(files: ZipFile[]): Promise<DesiredAsset> {
    const bytes = zipOf(files);
    const asset = assetOf(bytes, { mime_type: "application/zip", width: null, height: null });
    await writeFile(join(this.#folder, asset.sha256), bytes);
    return asset;
  }
}
