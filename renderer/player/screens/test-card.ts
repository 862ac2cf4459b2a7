// The test card of the command `test_card`: covers the content, which goes on beneath it, for a limited time.
import type { Scene } from "../../../src/protocol/scene.ts";
import { createElement } from "../dom.ts";
import type { PageClock } from "../link/clock.ts";
import { drawGeometry } from "./test-card-geometry.ts";

type Card = NonNullable<Scene["test_card"]>;

const bars = ["#fff", "#ff0", "#0ff", "#0f0", "#f0f", "#f00", "#00f", "#000"];
const greySteps = 16;
// The median of one second at 60 Hz: a single late frame does not change it.
const intervalsMeasured = 60;

export class TestCardOverlay {
  readonly element = createElement("div", "test-card");
  readonly #clock: PageClock;
  #card: Card | null = null;
  #end = (): void => {};

  constructor(clock: PageClock) {
    this.#clock = clock;
    this.element.hidden = true;
  }

  /** Shows the card until its time is over, or hides it. */
  draw(card: Scene["test_card"], rotation: number): void {
    const isDue = card != null && card.until > this.#clock.now();
    // A scene is drawn whenever the content changes; the card must not blink then.
    if (isDue && this.#card?.until === card.until && this.#card.player_name === card.player_name) return;
    this.#end();
    this.#card = isDue ? card : null;
    this.element.hidden = !isDue;
    this.element.replaceChildren();
    if (!isDue) return;
    this.#end = this.#show(card, rotation);
  }

  /** Returns a function that ends the card's timers. */
  #show({ player_name, until }: Card, rotation: number): () => void {
    const time = createElement("div", "time");
    const figures = createElement("div", "figures");
    const hidden = new AbortController();
    const { signal } = hidden;
    let geometry = drawGeometry(1, 1);
    const fill = (): void => {
      const { clientWidth: width, clientHeight: height } = this.element;
      const next = drawGeometry(width, height);
      geometry.replaceWith(next);
      geometry = next;
    };
    this.element.append(geometry, this.#panel(player_name, time, figures));
    fill();
    addEventListener("resize", fill, { signal });
    this.#runClock(time, figures, rotation, signal);
    const cancel = this.#clock.alarm(until, () => {
      this.#end();
      this.#card = null;
      this.element.hidden = true;
      this.element.replaceChildren();
    });
    return () => {
      hidden.abort();
      cancel();
    };
  }

  #panel(playerName: string, time: HTMLElement, figures: HTMLElement): HTMLElement {
    const colors = createElement("div", "bars", ...bars.map((color) => swatch(color)));
    const greys = Array.from({ length: greySteps }, (_, step) => Math.round((step * 255) / (greySteps - 1)));
    const ramp = createElement("div", "ramp", ...greys.map((level) => swatch(`rgb(${level} ${level} ${level})`)));
    const title = createElement("div", "title", createElement("span", "up", "▲"), createElement("span", "player", playerName));
    const sweep = createElement("div", "sweep", createElement("div", "mover"));
    return createElement("div", "panel", title, time, figures, colors, ramp, sweep);
  }

  /** Writes the time in each frame, and from time to time the figures of the frames. */
  #runClock(time: HTMLElement, figures: HTMLElement, rotation: number, signal: AbortSignal): void {
    const intervals: number[] = [];
    let before: number | null = null;
    const onFrame = (frameTime: number): void => {
      if (signal.aborted) return;
      time.textContent = `${new Date(this.#clock.toWallTime(frameTime)).toISOString().slice(11, 23)} UTC`;
      if (before !== null) intervals.push(frameTime - before);
      before = frameTime;
      if (intervals.length > intervalsMeasured) intervals.shift();
      if (intervals.length % 15 === 0) figures.textContent = describe(intervals, rotation);
      requestAnimationFrame(onFrame);
    };
    figures.textContent = describe(intervals, rotation);
    requestAnimationFrame(onFrame);
  }
}

function swatch(color: string): HTMLElement {
  const element = createElement("div", "swatch");
  element.style.background = color;
  return element;
}

function describe(intervals: readonly number[], rotation: number): string {
  const ratio = devicePixelRatio;
  const size = `${Math.round(innerWidth * ratio)} × ${Math.round(innerHeight * ratio)}`;
  const median = intervals.toSorted((a, b) => a - b)[Math.floor(intervals.length / 2)];
  const rate = median === undefined || median === 0 ? "… Hz" : `${(1_000 / median).toFixed(1)} Hz`;
  return [size, rate, `rotation ${rotation}°`, ...(ratio === 1 ? [] : [`scale ${ratio}`])].join(" · ");
}
