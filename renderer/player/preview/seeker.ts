// Shows any instant: draws its scene hidden, steps through the changes before it so that running transitions are seen, then replaces the picture.
import type { FrameCounter } from "../frame-counter.ts";
import type { Display } from "../stage/display.ts";
import type { SetTime } from "./set-time.ts";
import type { ToPreview } from "../../../src/protocol/preview-messages.ts";
import type { Scene, Stage } from "../../../src/protocol/scene.ts";

type Seek = Extract<ToPreview, { type: "seek" }>;

// A file that takes longer is shown when it is there; the clock does not wait for it.
const limitMs = 10_000;

/** The newest seek wins: it ends those before it. */
export class Seeker {
  readonly #display: Display;
  readonly #clock: SetTime;
  readonly #frames: FrameCounter;
  #current = { number: 0, abort: new AbortController() };

  constructor(display: Display, clock: SetTime, frames: FrameCounter) {
    this.#display = display;
    this.#clock = clock;
    this.#frames = frames;
  }

  /** Resolves when the instant is on the screen and the clock runs; false: another seek has replaced this one. */
  async seek({ number, scene, from, steps, at, rate }: Seek): Promise<boolean> {
    this.#current.abort.abort();
    this.#current = { number, abort: new AbortController() };
    const { signal } = this.#current.abort;
    const clock = this.#clock;
    try {
      clock.set(from, 0);
      this.#display.draw(newPicture(scene, number));
      await this.#waitUntilDrawn(signal);
      for (const step of [...steps, at]) {
        if (step <= clock.now()) continue;
        clock.set(step, 0);
        await this.#waitUntilDrawn(signal);
      }
      clock.set(at, rate);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      throw error;
    }
  }

  /** Draws a scene that follows, without a new picture. */
  draw(scene: Scene): void {
    this.#display.draw(renameStages(scene, this.#current.number));
  }

  /** Resolves when all that is due is on the screen. */
  async #waitUntilDrawn(signal: AbortSignal): Promise<void> {
    const limit = performance.now() + limitMs;
    // The first frame runs the work that the clock has made due, and two more prove that the result is painted.
    for (let frameCount = 0; frameCount < 3;) {
      const time = await this.#frames.next(signal);
      if (time > limit) return;
      frameCount = this.#display.isUpToDate && !isSeeking() ? frameCount + 1 : 0;
    }
  }
}

/** The scene as a picture of its own, which replaces the one before in one frame when it can be painted. */
function newPicture(scene: Scene, number: number): Scene {
  const all = renameStages(scene, number);
  if (all.screen.is !== "stage") return all;
  const { transition: _transition, ...stage } = all.screen.stage;
  return { ...all, screen: { is: "stage", stage } };
}

/** With other keys, its stages are others than those of the seeks before. */
function renameStages(scene: Scene, number: number): Scene {
  const name = (stage: Stage): Stage => ({ ...stage, key: `${stage.key}~${number}` });
  const { screen, upcoming = [] } = scene;
  return {
    ...scene,
    screen: screen.is === "stage" ? { is: "stage", stage: name(screen.stage) } : screen,
    upcoming: upcoming.map((each) => ({ ...each, stage: name(each.stage) })),
  };
}

/** True if a video on the screen does not show its position yet. */
function isSeeking(): boolean {
  return [...document.querySelectorAll("video")].some(({ seeking }) => seeking);
}
