// A feed's entries, one card after the other by the corrected clock, or as a ticker. The player fetched them; here is text only.
import type { FeedEntry, SceneItem } from "../../../../src/protocol/scene.ts";
import { createElement } from "../../dom.ts";
import { fitText } from "./fit.ts";
import { setFont } from "./font.ts";
import { type Item, ItemFailure, simpleItem, type ItemContext } from "../item.ts";
import { createTickerItem } from "./ticker.ts";

type FeedItem = Extract<SceneItem, { type: "feed" }>;

// The gentlest change that still says that something has changed; one at a time, so that both are never unreadable together.
const fadeMs = 350;

/** A feed item. */
export function createFeed(item: FeedItem, around: ItemContext): Item {
  if (item.entries.length === 0) return unavailable(item, around);
  if (item.style === "ticker") {
    const texts = item.entries.map(({ title, summary }) => plain(title === "" ? summary : title));
    return createTickerItem({ ...item, texts, direction: "auto", font_size: undefined }, around);
  }
  return createCards(item, around);
}

function unavailable(item: FeedItem, around: ItemContext): Item {
  return simpleItem(createElement("div", "item feed"), around, () => {
    throw new ItemFailure("load", item.trouble ?? "the feed has not been fetched yet");
  });
}

function createCards(item: FeedItem, around: ItemContext): Item {
  const { clock } = around;
  const card = createElement("div", "card");
  const box = createElement("div", "box", card);
  const source = createElement("div", "source", plain(item.title));
  const element = createElement("div", "item feed", source, box);
  element.dir = directionOf(item.entries);
  element.style.color = item.color;
  element.style.backgroundColor = item.background_color;
  // All parts are set in proportion to this one size.
  element.style.fontSize = `${Math.max(4, Math.sqrt(around.height * around.width) * 0.044)}px`;
  setFont(element, item);
  const format = new Intl.DateTimeFormat(item.locale, { dateStyle: "long", timeZone: item.timezone });
  let cancel = (): void => {};

  function fill(entry: FeedEntry): void {
    const parts = [createElement("div", "headline", plain(entry.title))];
    if (item.summary && entry.summary !== "") parts.push(createElement("div", "summary", plain(entry.summary)));
    if (item.date && entry.published_at !== null) parts.push(createElement("div", "when", format.format(entry.published_at)));
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

  return simpleItem(element, around, tick, () => cancel());
}

function fade(element: HTMLElement, opacity: [number, number]): void {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const animation of element.getAnimations()) animation.cancel();
  element.animate({ opacity }, { duration: fadeMs, easing: "ease-in-out", fill: opacity[1] === 0 ? "forwards" : "none" });
}

/** The direction of a feed's language: that of most of its entries, so that cards do not change sides. */
function directionOf(entries: readonly FeedEntry[]): "ltr" | "rtl" {
  const rtl = entries.filter(({ title, summary }) => isRtl(plain(`${title} ${summary}`))).length;
  return 2 * rtl > entries.length ? "rtl" : "ltr";
}

// The first letter of a text tells, as in Unicode's bidirectional algorithm. Hebrew to Arabic, their forms, and the
// right-to-left scripts beyond the basic plane.
const rtlLetter = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

function isRtl(text: string): boolean {
  return rtlLetter.test(/\p{L}/u.exec(text)?.[0] ?? "");
}

/** Text in which HTML's character references are read. A document without a window: it runs and loads nothing. */
function plain(text: string): string {
  const { body } = new DOMParser().parseFromString(`<body>${text.replaceAll("<", "&lt;")}`, "text/html");
  return body.textContent.replace(/\s+/g, " ").trim();
}
