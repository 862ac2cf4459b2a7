// A host without a browser: its page is a WebSocket client of the player's real page server, which presents due items at once.
import { once } from "node:events";
import { WebSocket } from "ws";
import { Listeners } from "../../src/base/async/listeners.ts";
import type { Clock } from "../../src/base/clock.ts";
import type { BrowserEngine, BrowserMemory, Capture, Host, HostFault, HostPage, IframeSite } from "../../src/player/host.ts";
import type { Scene, Stage } from "../../src/protocol/scene.ts";
import type { FromPage, ToPage } from "../../src/protocol/page-messages.ts";

const engine: BrowserEngine = { name: "chromium", version: "1", headless: true };
const viewport = { width: 1_280, height: 720, device_pixel_ratio: 1 };

export class FakeHost implements Host {
  readonly pagePort = null;
  readonly canDrawWithoutGpu = false;
  /** Every scene that the page received, oldest first. */
  readonly scenes: Scene[] = [];
  /** Item ids in the order in which the page presented them. */
  readonly presented: string[] = [];
  /** The picture that the next capture returns. */
  picture: Capture = { bytes: Buffer.alloc(0), mimeType: "image/png" };
  /** Whether the page reports the items that it shows. */
  isReporting = true;
  /** Ids of assets that the page cannot show: their zones stay empty. */
  readonly broken = new Set<string>();
  pageUrl = "";
  reloads = 0;
  iframeSites: readonly IframeSite[] = [];
  readonly #clock: Clock;
  readonly #faults = new Listeners<HostFault>();
  readonly #waiting = new Set<() => void>();
  readonly #slots = new Map<string, string>();
  #page: WebSocket | null = null;
  #stage = "";
  #screen = "";

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The newest scene. */
  get scene(): Scene | undefined {
    return this.scenes.at(-1);
  }

  /** The first scene from number `from` on that `matches`; waits for it. */
  async sceneThat(matches: (scene: Scene) => unknown, from = 0): Promise<Scene> {
    for (;;) {
      const found = this.scenes.slice(from).find(matches);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Reports presented frames, and the items that are due now and not reported yet. Call it after moving the clock. */
  presentDue(): void {
    const screen = this.scene?.screen;
    if (screen === undefined || !this.isReporting) return;
    const at = this.#clock.now();
    this.report({ type: "beat", at, frames: 1 });
    if (screen.is === "stage") return this.#presentStage(screen.stage, at);
    const code = screen.is === "pairing" ? screen.code : null;
    if (this.#screen === `${screen.is} ${code}`) return;
    this.#screen = `${screen.is} ${code}`;
    this.report({ type: "screen", is: screen.is, code, at });
  }

  /** When the next item that the page knows of begins; Infinity if it knows of none. */
  get nextStart(): number {
    const screen = this.scene?.screen;
    if (screen?.is !== "stage") return Number.POSITIVE_INFINITY;
    const starts = screen.stage.zones.flatMap(({ slots }) => slots.map(({ starts_at }) => starts_at));
    return Math.min(...starts.filter((at) => at > this.#clock.now()));
  }

  async prepare(): Promise<void> {}

  async open(page: HostPage): Promise<BrowserEngine> {
    await this.close();
    this.pageUrl = page.url;
    const { origin, host } = new URL(page.url);
    const socket = new WebSocket(`ws://${host}/scene`, { headers: { cookie: `${page.cookie.name}=${page.cookie.value}`, origin } });
    this.#page = socket;
    socket.on("message", (raw: Buffer) => {
      const message = JSON.parse(raw.toString()) as ToPage;
      if (message.type === "measure") {
        const codecs = [{ name: "h264 1080p", is_supported: true, is_smooth: true, is_efficient: true }];
        return this.report({ type: "measured", id: message.id, codecs, frames: 60, for_ms: 1_000 });
      }
      if (message.type !== "scene") return;
      this.scenes.push(message.scene);
      this.presentDue();
      for (const resolve of this.#waiting) resolve();
      this.#waiting.clear();
    });
    await once(socket, "open");
    this.report({ type: "hello", viewport, opened_at: this.#clock.now() });
    return engine;
  }

  async reload(): Promise<void> {
    this.reloads += 1;
  }

  async close(): Promise<void> {
    const page = this.#page;
    this.#page = null;
    if (page === null || page.readyState === WebSocket.CLOSED) return;
    const closed = once(page, "close");
    page.terminate();
    await closed;
  }

  async capture(): Promise<Capture> {
    return this.picture;
  }

  async memoryBytes(): Promise<number> {
    return 1_000;
  }

  async memoryByKind(): Promise<BrowserMemory> {
    return { browser: 100, page: 600, gpu: 200, other: 100 };
  }

  setIframeSites(sites: readonly IframeSite[]): void {
    this.iframeSites = sites;
  }

  onIframeEvent(): void {}

  onFault(listener: (fault: HostFault) => void, signal: AbortSignal): void {
    this.#faults.add(listener, signal);
  }

  /** Fails as a real browser does. */
  fail(fault: HostFault): void {
    this.#faults.notify(fault);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #presentStage(stage: Stage, at: number): void {
    const due = stage.zones.flatMap(({ id, slots }) => {
      const slot = slots.find(({ starts_at, ends_at }) => starts_at <= at && at < ends_at);
      return slot === undefined ? [] : [{ zone_id: id, slot }];
    });
    if (stage.key !== this.#stage) {
      this.#stage = stage.key;
      this.#slots.clear();
      const shown = due.filter(({ slot }) => !this.broken.has(slot.item.asset_id ?? ""));
      const showing = shown.map(({ zone_id, slot: { key, cause } }) => ({ zone_id, key, ...(cause === undefined ? {} : { cause }) }));
      this.report({ type: "stage", key: stage.key, at, showing });
    }
    for (const { zone_id, slot } of due) {
      if (this.#slots.get(zone_id) === slot.key) continue;
      this.#slots.set(zone_id, slot.key);
      const { key, cause, starts_at, ends_at, item } = slot;
      const about = { zone_id, key, stage: stage.key, item_id: item.item_id, asset_id: item.asset_id };
      if (this.broken.has(item.asset_id ?? "")) {
        this.report({ type: "failed", ...about, code: "decode", detail: "broken" });
        this.report({ type: "fallback", zone_id, stage: stage.key, at });
        continue;
      }
      this.presented.push(item.item_id);
      this.report({ type: "presented", ...about, ...(cause === undefined ? {} : { cause }), starts_at, ends_at, at });
    }
  }

  /** Sends a message of the page. */
  report(message: FromPage): void {
    this.sendText(JSON.stringify(message));
  }

  /** Sends any text as the page. */
  sendText(text: string): void {
    if (this.#page?.readyState === WebSocket.OPEN) this.#page.send(text);
  }
}
