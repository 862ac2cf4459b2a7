// A feed's entries, one card after the other by the corrected clock, or as a ticker. The player fetched them; here is text only.
import type { FeedEntry, SceneItem } from "../../../src/protocol/scene.ts";
import { make } from "../dom.ts";
import { fitText } from "./fit.ts";
import { setFont } from "./font.ts";
import { type Item, ItemFailure, stillItem, type Surroundings } from "./item.ts";
import { createRun } from "./ticker.ts";

type FeedItem = Extract<SceneItem, { type: "feed" }>;

// The gentlest change that still says that something has changed; one at a time, so that both are never unreadable together.
const fadeMs = 350;

/** A feed item. */
export function createFeed(item: FeedItem, around: Surroundings): Item {
  if (item.entries.length === 0) return unavailable(item, around);
  if (item.style === "ticker") {
    const texts = item.entries.map(({ title, summary }) => plain(title === "" ? summary : title));
    return createRun({ ...item, texts, direction: "auto", font_size: undefined }, around);
  }
  return createCards(item, around);
}

function unavailable(item: FeedItem, around: Surroundings): Item {
  return stillItem(make("div", "item feed"), around, () => {
    throw new ItemFailure("load", item.trouble ?? "the feed has not been fetched yet");
  });
}

function createCards(item: FeedItem, around: Surroundings): Item {
  const { clock } = around;
  const card = make("div", "card");
  const box = make("div", "box", card);
  const source = make("div", "source", plain(item.title));
  const element = make("div", "item feed", source, box);
  element.style.color = item.color;
  element.style.backgroundColor = item.background_color;
  // All parts are set in proportion to this one size.
  element.style.fontSize = `${Math.max(4, Math.sqrt(around.height * around.width) * 0.044)}px`;
  setFont(element, item);
  const format = new Intl.DateTimeFormat(item.locale, { dateStyle: "long", timeZone: item.timezone });
  let cancel = (): void => {};

  function fill(entry: FeedEntry): void {
    const parts = [line("headline", plain(entry.title))];
    if (item.summary && entry.summary !== "") parts.push(line("summary", plain(entry.summary)));
    if (item.date && entry.published_at !== null) parts.push(line("when", format.format(entry.published_at)));
    card.replaceChildren(...parts);
    card.style.fontSize = "";
    const most = Number.parseFloat(getComputedStyle(element).fontSize);
    fitText(card, box, most);
  }

  /** By the corrected clock alone: screens in step show the same entry, whenever they joined. */
  function tick(): void {
    const instant = clock.now() + 10;
    const turn = Math.floor(instant / item.entry_duration_ms);
    fill(item.entries[turn % item.entries.length]!);
    if (item.entries.length === 1) return;
    const next = (turn + 1) * item.entry_duration_ms;
    const cancelFade = clock.alarm(next - fadeMs, () => fade(card, [1, 0]));
    const cancelTick = clock.alarm(next, () => {
      tick();
      fade(card, [0, 1]);
    });
    cancel = () => {
      cancelFade();
      cancelTick();
    };
  }

  return stillItem(element, around, tick, () => cancel());
}

function fade(element: HTMLElement, opacity: [number, number]): void {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const animation of element.getAnimations()) animation.cancel();
  element.animate({ opacity }, { duration: fadeMs, easing: "ease-in-out", fill: opacity[1] === 0 ? "forwards" : "none" });
}

function line(className: string, words: string): HTMLElement {
  const element = make("div", className, words);
  element.dir = "auto";
  return element;
}

/** Text in which HTML's character references are read. A document without a window: it runs and loads nothing. */
function plain(text: string): string {
  const { body } = new DOMParser().parseFromString(`<body>${text.replaceAll("<", "&lt;")}`, "text/html");
  return body.textContent.replace(/\s+/g, " ").trim();
}
