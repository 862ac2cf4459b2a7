// A ticker item: a line that runs across its zone. Its position depends on the corrected clock alone, so synchronized displays show the same.
import type { SceneItem } from "../../../../src/protocol/scene.ts";
import { createElement } from "../../dom.ts";
import { layOutInFonts, setFont } from "./font.ts";
import { type Item, simpleItem, type ItemContext } from "../item.ts";

/** The texts of a ticker and their look. */
export type TickerContent = Pick<
  Extract<SceneItem, { type: "ticker" }>,
  | "font_family"
  | "font_weight"
  | "font_style"
  | "locale"
  | "color"
  | "background_color"
  | "speed_px_s"
  | "separator"
  | "direction"
  | "font_size"
> & { texts: readonly string[] };

// The default font size as a share of the zone's height; it leaves room for accents and descenders.
const letterShare = 0.56;
const correctionIntervalMs = 5_000;
// A change of speed by this share is not visible.
const maxSpeedChange = 0.02;
// A larger error means that the clock was set: the ticker jumps.
const jumpMs = 1_000;

/** Creates a ticker item. */
export function createTicker(item: Extract<SceneItem, { type: "ticker" }>, context: ItemContext): Item {
  return createTickerItem({ ...item, texts: [item.text] }, context);
}

/** Creates an item in which the texts run one after the other, each followed by the separator. */
export function createTickerItem(content: TickerContent, context: ItemContext): Item {
  const strip = createElement("div", "strip");
  const element = createElement("div", "item ticker", strip);
  element.style.color = content.color;
  element.style.backgroundColor = content.background_color;
  strip.style.fontSize = `${content.font_size ?? Math.max(4, Math.floor(context.height * letterShare))}px`;
  strip.style.lineHeight = `${context.height}px`;
  setFont(strip, content, content.texts.join(" "));
  let stop = (): void => {};
  return simpleItem(
    element,
    context,
    (signal) =>
      layOutInFonts(strip, [...content.texts, content.separator], context, signal, () => {
        stop();
        strip.replaceChildren();
        stop = start(strip, content, context);
      }),
    () => stop(),
  );
}

/** Creates as many rounds of the texts as fill the zone plus one, and moves them by one round, over and over. */
function start(strip: HTMLElement, content: TickerContent, context: ItemContext): () => void {
  const first = createRound(content);
  strip.append(first);
  const isRtl = directionOf(first, content) === "rtl";
  strip.dir = isRtl ? "rtl" : "ltr";
  // Whole pixels, so that a round has the same length on every display.
  const length = Math.max(1, first.offsetWidth);
  first.style.width = `${length}px`;
  const rounds = Math.ceil(context.width / length) + 1;
  for (let more = 1; more < rounds; more++) strip.append(first.cloneNode(true));
  const duration = (length / content.speed_px_s) * 1_000;
  const to = `translateX(${isRtl ? length : -length}px)`;
  const animation = strip.animate([{ transform: "translateX(0)" }, { transform: to }], { duration, iterations: Infinity });
  return follow(animation, strip, duration, context);
}

function createRound({ texts, separator }: TickerContent): HTMLElement {
  const parts = texts.flatMap((text) => {
    const words = createElement("bdi", "", text.replace(/\s+/g, " ").trim());
    return [words, createElement("span", "separator", separator)];
  });
  return createElement("span", "round", ...parts);
}

function directionOf(first: HTMLElement, content: TickerContent): string {
  if (content.direction !== "auto") return content.direction;
  // `bdi` detects the direction of its text.
  return getComputedStyle(first.querySelector("bdi")!).direction;
}

/** Keeps the animation at its position by the clock. A small error is corrected by running slightly faster or slower. */
function follow(animation: Animation, strip: HTMLElement, duration: number, { clock }: ItemContext): () => void {
  const targetTime = (): number => clock.toWallTime(Number(document.timeline.currentTime ?? performance.now())) % duration;
  const correct = (): void => {
    const error = shortestDistance(targetTime() - Number(animation.currentTime ?? 0), duration);
    if (Math.abs(error) > jumpMs) {
      place();
    } else {
      const change = Math.max(-maxSpeedChange, Math.min(maxSpeedChange, error / correctionIntervalMs));
      animation.updatePlaybackRate(clock.rate * (1 + change));
    }
  };
  const place = (): void => {
    animation.currentTime = targetTime();
    // Without a layer of its own a ticker that stands still is painted where it is, as one that was drawn there; a layer would be moved there.
    strip.style.willChange = clock.rate === 0 ? "auto" : "";
    if (clock.rate === 0) return animation.pause();
    animation.playbackRate = clock.rate;
    animation.play();
  };
  place();
  const disposal = new AbortController();
  clock.onSet(place, disposal.signal);
  const timer = setInterval(() => {
    if (clock.rate > 0) correct();
  }, correctionIntervalMs);
  return () => {
    clearInterval(timer);
    disposal.abort();
    animation.cancel();
  };
}

/** The error within a cycle of `duration`, the shorter way round. */
function shortestDistance(error: number, duration: number): number {
  const forward = ((error % duration) + duration) % duration;
  return forward > duration / 2 ? forward - duration : forward;
}
