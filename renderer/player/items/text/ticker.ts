// A line that runs across its zone without end, at a place that only the corrected clock decides: screens in step show the same.
import type { SceneItem } from "../../../../src/protocol/scene.ts";
import { createElement } from "../../dom.ts";
import { setFont } from "./font.ts";
import { type Item, simpleItem, type ItemContext } from "../item.ts";

/** What runs, and how it looks. */
export type TickerContent = Pick<
  Extract<SceneItem, { type: "ticker" }>,
  "font_family" | "font_weight" | "color" | "background_color" | "speed_px_s" | "separator" | "direction" | "font_size"
> & { texts: readonly string[] };

// The share of the zone's height that letters take when no size is given: room for accents and tails.
const letterShare = 0.56;
const followMs = 5_000;
// Faster or slower by this much is not seen; a larger error is a set clock, and leapt over.
const maxHaste = 0.02;
const leapMs = 1_000;

/** A ticker item. */
export function createTicker(item: Extract<SceneItem, { type: "ticker" }>, around: ItemContext): Item {
  return createTickerItem({ ...item, texts: [item.text] }, around);
}

/** Texts that run one after the other, each followed by the separator. */
export function createTickerItem(run: TickerContent, around: ItemContext): Item {
  const belt = createElement("div", "belt");
  const element = createElement("div", "item ticker", belt);
  element.style.color = run.color;
  element.style.backgroundColor = run.background_color;
  belt.style.fontSize = `${run.font_size ?? Math.max(4, Math.floor(around.height * letterShare))}px`;
  belt.style.lineHeight = `${around.height}px`;
  setFont(belt, run);
  let stop = (): void => {};
  return simpleItem(
    element,
    around,
    () => {
      stop = start(belt, run, around);
    },
    () => stop(),
  );
}

/** Lays out as many rounds as fill the zone and one more, and moves them by one round, for ever. */
function start(belt: HTMLElement, run: TickerContent, around: ItemContext): () => void {
  const first = round(run);
  belt.append(first);
  const isRtl = directionOf(first, run) === "rtl";
  belt.dir = isRtl ? "rtl" : "ltr";
  // Whole pixels: a round is then as long on every screen, whatever its renderer does with fractions.
  const length = Math.max(1, first.offsetWidth);
  first.style.width = `${length}px`;
  const rounds = Math.ceil(around.width / length) + 1;
  for (let more = 1; more < rounds; more++) belt.append(first.cloneNode(true));
  const duration = (length / run.speed_px_s) * 1_000;
  const to = `translateX(${isRtl ? length : -length}px)`;
  const animation = belt.animate([{ transform: "translateX(0)" }, { transform: to }], { duration, iterations: Infinity });
  return follow(animation, duration, around);
}

function round({ texts, separator }: TickerContent): HTMLElement {
  const parts = texts.flatMap((text) => {
    const words = createElement("bdi", "", text.replace(/\s+/g, " ").trim());
    return [words, createElement("span", "separator", separator)];
  });
  return createElement("span", "round", ...parts);
}

function directionOf(first: HTMLElement, run: TickerContent): string {
  if (run.direction !== "auto") return run.direction;
  // `bdi` finds the direction of what it holds.
  return getComputedStyle(first.querySelector("bdi")!).direction;
}

/** Keeps the animation where the clock says: a small error is made good by going slightly faster or slower. */
function follow(animation: Animation, duration: number, { clock }: ItemContext): () => void {
  const wanted = (): number => clock.toWallTime(Number(document.timeline.currentTime ?? performance.now())) % duration;
  const correct = (): void => {
    const error = offBy(wanted() - Number(animation.currentTime ?? 0), duration);
    if (Math.abs(error) > leapMs) {
      animation.playbackRate = 1;
      animation.currentTime = wanted();
    } else {
      animation.updatePlaybackRate(1 + Math.max(-maxHaste, Math.min(maxHaste, error / followMs)));
    }
  };
  animation.currentTime = wanted();
  const timer = setInterval(correct, followMs);
  return () => {
    clearInterval(timer);
    animation.cancel();
  };
}

/** The shorter way round from one place of the cycle to another. */
function offBy(error: number, duration: number): number {
  const around = ((error % duration) + duration) % duration;
  return around > duration / 2 ? around - duration : around;
}
