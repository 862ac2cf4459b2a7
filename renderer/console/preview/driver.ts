// Drives the page of a preview: shows instants, lets the clock run and gives the page its scenes in time.
import type { Scene } from "../../../src/protocol/scene.ts";
import type { PreviewFrame } from "./frame.ts";
import type { PreviewPlayback } from "./playback.ts";

/** The subject of the preview: a content from an instant on, at a speed; 0: it stands still. */
export interface Showing {
  playback: PreviewPlayback;
  at: number;
  rate: number;
  /** Completes a scene for the page. */
  prepare: (scene: Scene) => Scene;
}

// A new instant this near to the one that is shown only stops or starts the clock.
const sameMs = 400;
// The page keeps the plays of some seconds: a scene may be this late.
const minGapMs = 250;

export class PreviewDriver {
  readonly #frame: Pick<PreviewFrame, "send">;
  readonly #onDrawn: (at: number) => void;
  #number = 0;
  #showing: Showing | null = null;
  /** Since when the clock of the page runs, on the performance clock; null: the picture is not on the screen yet. */
  #drawnAt: number | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param onDrawn called when an instant is on the screen. */
  constructor(frame: Pick<PreviewFrame, "send">, onDrawn: (at: number) => void) {
    this.#frame = frame;
    this.#onDrawn = onDrawn;
  }

  /** The instant that is shown now. */
  get now(): number {
    if (this.#showing === null) return 0;
    const { at, rate } = this.#showing;
    return this.#drawnAt === null ? at : at + (performance.now() - this.#drawnAt) * rate;
  }

  /** Shows something. The last picture stays until the page can paint this. @returns true if another picture has to be drawn for it */
  show(showing: Showing): boolean {
    const before = this.#showing;
    const isSamePicture =
      before !== null &&
      this.#drawnAt !== null &&
      before.playback === showing.playback &&
      before.prepare === showing.prepare &&
      Math.abs(this.now - showing.at) <= sameMs;
    clearTimeout(this.#timer);
    this.#showing = showing;
    if (isSamePicture) {
      this.#frame.send({ type: "time", at: showing.at, rate: showing.rate });
      this.#run();
      return false;
    }
    this.#drawnAt = null;
    this.#number += 1;
    const { scene, ...seek } = showing.playback.seekTo(showing.at);
    this.#frame.send({ type: "seek", number: this.#number, scene: showing.prepare(scene), ...seek, rate: showing.rate });
    return true;
  }

  /** The page shows the instant of a seek. */
  onSeekEnd(number: number): void {
    if (number !== this.#number || this.#showing === null) return;
    this.#run();
    this.#onDrawn(this.#showing.at);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#showing = null;
  }

  #run(): void {
    this.#drawnAt = performance.now();
    // The seek's scene is that of its beginning: the page gets the one of its instant, and those that follow.
    if (this.#showing !== null && this.#showing.rate > 0) this.#sendScene();
  }

  #sendScene(): void {
    if (this.#showing === null) return;
    const { playback, prepare, rate } = this.#showing;
    const { now } = this;
    const { scene, changesAt } = playback.sceneAt(now);
    this.#frame.send({ type: "scene", scene: prepare(scene) });
    const wait = (changesAt - now) / rate;
    // A longer setTimeout would fire at once.
    if (wait < 2 ** 31) this.#timer = setTimeout(() => this.#sendScene(), Math.max(minGapMs, wait));
  }
}
