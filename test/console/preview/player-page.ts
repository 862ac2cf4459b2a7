// The player's page by itself: pictures of scenes at an instant at which its clock, its tickers and its videos are made to stand still.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright";
import { expect } from "vitest";
import type { Scene } from "../../../src/protocol/scene.ts";
import { startPageServer, type PageServer } from "../../support/browser/page-server.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { builtRenderer } from "../../support/page-build.ts";
import type { Files } from "./every-kind.ts";

const extensions: Readonly<Record<string, string>> = {
  "image/png": ".png",
  "image/svg+xml": ".svg",
  "video/mp4": ".mp4",
  "application/pdf": ".pdf",
};

export interface Size {
  width: number;
  height: number;
}

/** How long a busy machine may take for a step. */
export const patienceMs = 60_000;

/** One page, which draws one scene after the other. */
export class PlayerPage implements AsyncDisposable {
  readonly #server: PageServer;
  readonly #page: Page;
  readonly #files: Files;
  readonly #disposal: AsyncDisposableStack;

  private constructor(server: PageServer, page: Page, files: Files, disposal: AsyncDisposableStack) {
    this.#server = server;
    this.#page = page;
    this.#files = files;
    this.#disposal = disposal;
  }

  /** @param panel the size of the screen, as it is when it is not turned */
  static async open(browser: Browser, panel: Size, files: Files): Promise<PlayerPage> {
    await using disposal = new AsyncDisposableStack();
    const folder = disposal.use(await temporaryFolder());
    for (const [path, { bytes, mimeType }] of files) {
      await writeFile(join(folder.path, `${path.slice("/media/".length)}${extensions[mimeType]}`), bytes);
    }
    const server = disposal.use(await startPageServer(folder.path, await builtRenderer()));
    const context: BrowserContext = await browser.newContext({ viewport: panel, reducedMotion: "reduce" });
    disposal.defer(() => context.close());
    const page = await context.newPage();
    await page.goto(server.url);
    await server.waitForMessage("hello");
    return new PlayerPage(server, page, files, disposal.move());
  }

  /** Shows a scene as it is at `at`, and lets everything in it stand still. */
  async show(scene: Scene, at: number): Promise<void> {
    const server = this.#server;
    const page = this.#page;
    // The clock goes on while the scene is drawn: it is set for each.
    await server.moveClock(at - server.now());
    const from = server.messages.length;
    server.draw(withExtensions(scene, this.#files));
    const zones = scene.screen.is === "stage" ? scene.screen.stage.zones.filter(({ slots }) => slots.length > 0) : [];
    for (const { id } of zones) await server.waitForMessage("presented", ({ zone_id }) => zone_id === id, { from });
    await expect.poll(() => page.evaluate("document.querySelectorAll('.stage').length"), { timeout: patienceMs }).toBe(1);
    await page.evaluate(stoppedAt(at, videoPositionIn(scene, at)));
  }

  picture(): Promise<Buffer> {
    return this.#page.screenshot();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#disposal.disposeAsync();
  }
}

/** The position of the scene's video at an instant, by the times of its play, in seconds. */
export function videoPositionIn({ screen }: Scene, at: number): number {
  const slots = screen.is === "stage" ? screen.stage.zones.flatMap((zone) => zone.slots) : [];
  const slot = slots.find(({ item, starts_at, ends_at }) => item.type === "video" && starts_at <= at && at < ends_at);
  if (slot?.item.type !== "video") return 0;
  return ((at - slot.starts_at + slot.offset_ms) % slot.item.media_duration_ms!) / 1_000;
}

/** An expression for the page, whose clock goes on: puts its tickers and its video where they are at exactly `instant`. */
export function stoppedAt(instant: number, videoPosition: number): string {
  return `(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    // A font that comes late makes the texts be laid out anew, and a ticker starts again.
    await document.fonts.ready;
    for (const animation of document.getAnimations()) {
      const { duration, iterations } = animation.effect.getComputedTiming();
      if (iterations !== Number.POSITIVE_INFINITY) continue;
      const position = ${instant} % Number(duration);
      animation.pause();
      animation.currentTime = position;
      // The page would set it right again.
      Object.defineProperty(animation, "currentTime", { configurable: true, get: () => position, set: () => undefined });
      animation.play = () => undefined;
    }
    // How Chromium smooths the edges of a line's letters depends on where it ran when it was drawn: it is drawn again where it stands.
    const strips = [...document.querySelectorAll(".strip")];
    for (const { style } of strips) style.display = "none";
    await frame();
    await frame();
    for (const { style } of strips) style.display = "";
    for (const video of document.querySelectorAll("video")) {
      video.pause();
      // Each is another frame than the one before, so that a frame is presented; one that was on its way may come before it.
      for (const position of [6.5, ${videoPosition}]) {
        const presented = new Promise((resolve) => {
          const check = (_, { mediaTime }) =>
            Math.abs(mediaTime - position) < 0.11 ? resolve() : video.requestVideoFrameCallback(check);
          video.requestVideoFrameCallback(check);
        });
        video.currentTime = position;
        await presented;
      }
    }
    await frame();
    await frame();
  })()`;
}

function withExtensions(scene: Scene, files: Files): Scene {
  const json = JSON.stringify(scene).replaceAll(/"(\/media\/[0-9a-f]{64})"/g, (_, path: string) =>
    JSON.stringify(path + extensions[files.get(path)!.mimeType]),
  );
  return JSON.parse(json) as Scene;
}
