// A layout drawn to scale: its zones in stage pixels, and what they report once people can see it.
import type { FromPage, Screen, Stage } from "../../src/protocol/scene.ts";
import { make } from "./dom.ts";
import type { Layer, Page } from "./page.ts";
import { Zone } from "./zone.ts";

type Presented = Extract<FromPage, { type: "presented" }>;
/** Behind the glass, what was presented is held back by zone until people can see it. */
type Visibility = { is: "behind"; held: Map<string, Presented> } | { is: "on-glass" };

// One zone that neither shows nor fails must not hold up the others for longer.
const settleLimitMs = 5_000;

/** The layer that shows a stage. */
export class StageLayer implements Layer {
  readonly element: HTMLElement;
  readonly ready: Promise<void>;
  readonly #page: Page;
  readonly #key: string;
  readonly #zones: Map<string, Zone>;
  readonly #canvas: HTMLElement;
  readonly #resized = new AbortController();
  #visibility: Visibility = { is: "behind", held: new Map() };

  constructor(stage: Stage, page: Page) {
    this.#page = page;
    this.#key = stage.key;
    const inner: Page = { ...page, report: (message) => this.#report(message) };
    this.#zones = new Map(stage.zones.map((zone) => [zone.id, new Zone(zone, inner)]));
    const zones = [...this.#zones.values()];
    this.#canvas = make("div", "canvas", ...zones.map(({ element }) => element));
    this.#canvas.style.backgroundColor = stage.background_color;
    this.#canvas.style.width = `${stage.width}px`;
    this.#canvas.style.height = `${stage.height}px`;
    this.element = make("div", "layer stage", this.#canvas);
    const scale = (): void => scaleInto(this.#canvas, stage);
    scale();
    addEventListener("resize", scale, { signal: this.#resized.signal });
    this.ready = Promise.race([Promise.all(zones.map(({ settled }) => settled)).then(() => {}), delay(settleLimitMs)]);
  }

  update(screen: Screen): boolean {
    if (screen.is !== "stage" || screen.stage.key !== this.#key) return false;
    for (const zone of screen.stage.zones) this.#zones.get(zone.id)?.update(zone);
    return true;
  }

  presented(at: number): void {
    if (this.#visibility.is === "on-glass") return;
    const { held } = this.#visibility;
    this.#visibility = { is: "on-glass" };
    for (const message of held.values()) this.#page.report({ ...message, at: Math.max(at, message.at) });
  }

  dispose(): void {
    this.#resized.abort();
    for (const zone of this.#zones.values()) zone.dispose();
    this.element.remove();
  }

  #report(message: FromPage): void {
    if (message.type === "presented" && this.#visibility.is === "behind") {
      this.#visibility.held.set(message.zone_id, message);
    } else {
      this.#page.report(message);
    }
  }
}

/** Makes the stage as large as the window allows, whole, in the middle, on whole pixels. */
function scaleInto(canvas: HTMLElement, { width, height }: Stage): void {
  const scale = Math.min(innerWidth / width, innerHeight / height);
  const left = Math.round((innerWidth - width * scale) / 2);
  const top = Math.round((innerHeight - height * scale) / 2);
  canvas.style.transform = `translate(${left}px, ${top}px) scale(${scale})`;
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
