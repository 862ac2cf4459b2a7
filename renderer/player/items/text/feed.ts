// A feed item: its entries as cards, one after the other by the corrected clock, or as a ticker. The player fetches the feed.
import type { FeedEntry } from "../../../../src/protocol/content/item-kinds.ts";
import type { SceneItem } from "../../../../src/protocol/scene.ts";
import { createElement } from "../../dom.ts";
import { followClock } from "../../link/clocked-animations.ts";
import { fitText } from "./fit.ts";
import { layOutInFonts, setFont } from "./font.ts";
import { type Item, ItemFailure, simpleItem, type ItemContext } from "../item.ts";
import { createTickerItem } from "./ticker.ts";

type FeedItem = Extract<SceneItem, { type: "feed" }>;

// Long enough to be noticed. The old card fades out before the new one fades in: both at once would be unreadable.
const fadeMs = 350;

/** Creates a feed item. */
export function createFeed(item: FeedItem, context: ItemContext): Item {
  if (item.entries.length === 0) return unavailable(item, context);
  if (item.style === "ticker") {
    const texts = item.entries.map(({ title, summary }) => decodeText(title === "" ? summary : title));
    return createTickerItem({ ...item, texts, direction: "auto", font_size: undefined }, context);
  }
  return createCards(item, context);
}

function unavailable(item: FeedItem, context: ItemContext): Item {
  return simpleItem(createElement("div", "item feed"), context, () => {
    throw new ItemFailure("load", item.trouble ?? "the feed has not been fetched yet");
  });
}

function createCards(item: FeedItem, context: ItemContext): Item {
  const { clock } = context;
  const card = createElement("div", "card");
  const box = createElement("div", "box", card);
  const source = createElement("div", "source", decodeText(item.title));
  const element = createElement("div", "item feed", source, box);
  element.dir = directionOf(item.entries);
  element.style.color = item.color;
  element.style.backgroundColor = item.background_color;
  // All other font sizes are relative to this one.
  element.style.fontSize = `${Math.max(4, Math.sqrt(context.height * context.width) * 0.044)}px`;
  const texts = [item.title, ...item.entries.flatMap(({ title, summary }) => [title, summary])].map(decodeText);
  setFont(element, item, texts.join(" "));
  const format = new Intl.DateTimeFormat(item.locale, { dateStyle: "long", timeZone: item.timezone });
  let cancel = (): void => {};
  let fading = new AbortController();

  function showEntry(entry: FeedEntry): void {
    const parts = [createElement("div", "headline", decodeText(entry.title))];
    if (item.summary && entry.summary !== "") parts.push(createElement("div", "summary", decodeText(entry.summary)));
    if (item.date && entry.published_at !== null) parts.push(createElement("div", "when", format.format(entry.published_at)));
    card.replaceChildren(...parts);
    card.style.fontSize = "";
    const maxSize = Number.parseFloat(getComputedStyle(element).fontSize);
    fitText(card, box, maxSize);
  }

  /** The entry depends on the corrected clock alone, so synchronized displays show the same one whenever they joined. */
  function tick(): void {
    const instant = clock.now() + 10;
    const turn = Math.floor(instant / item.entry_duration_ms);
    showEntry(item.entries[turn % item.entries.length]!);
    if (item.entries.length === 1) return;
    const next = (turn + 1) * item.entry_duration_ms;
    const cancelFade = clock.alarm(next - fadeMs, () => fade([1, 0], next - fadeMs));
    const cancelTick = clock.alarm(next, () => {
      tick();
      fade([0, 1], next);
    });
    cancel = () => {
      cancelFade();
      cancelTick();
    };
  }

  function fade(opacity: [number, number], beginsAt: number): void {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    fading.abort();
    fading = new AbortController();
    for (const running of card.getAnimations()) running.cancel();
    const fill = opacity[1] === 0 ? "forwards" : "none";
    const animation = card.animate({ opacity }, { duration: fadeMs, easing: "ease-in-out", fill });
    followClock([animation], beginsAt, clock, fading.signal);
  }

  async function begin(signal: AbortSignal): Promise<void> {
    const dates = item.entries.flatMap(({ published_at: at }) => (item.date && at !== null ? [format.format(at)] : []));
    await layOutInFonts(element, [...texts, ...dates], context, signal, () => {
      cancel();
      tick();
    });
  }

  return simpleItem(element, context, begin, () => {
    fading.abort();
    cancel();
  });
}

/** The text direction of the feed: that of most of its entries, so that the layout stays the same for all cards. */
function directionOf(entries: readonly FeedEntry[]): "ltr" | "rtl" {
  const rtl = entries.filter(({ title, summary }) => isRtl(decodeText(`${title} ${summary}`))).length;
  return 2 * rtl > entries.length ? "rtl" : "ltr";
}

// The first letter decides, as in Unicode's bidirectional algorithm. The ranges are Hebrew to Arabic, their presentation
// forms, and the right-to-left scripts outside the basic plane.
const rtlLetter = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

function isRtl(text: string): boolean {
  return rtlLetter.test(/\p{L}/u.exec(text)?.[0] ?? "");
}

/** Decodes HTML's character references. A document made by DOMParser runs no scripts and loads nothing. */
function decodeText(text: string): string {
  const { body } = new DOMParser().parseFromString(`<body>${text.replaceAll("<", "&lt;")}`, "text/html");
  return body.textContent.replace(/\s+/g, " ").trim();
}
