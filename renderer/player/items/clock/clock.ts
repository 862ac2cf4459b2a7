// A clock item: changes exactly with the second or minute of the corrected clock, and its digits do not move.
import { dayMs, hourMs, minuteMs } from "../../../../src/base/time.ts";
import type { SceneItem } from "../../../../src/protocol/scene.ts";
import { createElement } from "../../dom.ts";
import { createDial } from "./dial.ts";
import type { Face } from "./face.ts";
import { fitText } from "../text/fit.ts";
import { layOutInFonts, setFont } from "../text/font.ts";
import { type Item, simpleItem, type ItemContext } from "../item.ts";

const halfFrameMs = 10;

type ClockItem = Extract<SceneItem, { type: "clock" }>;

/** Creates a clock item. */
export function createClockFace(item: ClockItem, context: ItemContext): Item {
  const { clock } = context;
  const isAnalog = item.face === "analog";
  const time = isAnalog ? createDial(item) : createDigits(item);
  const lines: Face[] = [time];
  if (item.date && Object.keys(item.date_parts).length > 0) lines.push(createDate(item));
  const face = createElement("div", "face", ...lines.map(({ element }) => element));
  if (item.label !== undefined) face.append(createElement("div", "label", item.label));
  setFont(face, item, item.label ?? "");
  const box = createElement("div", "box", face);
  const element = createElement("div", `item clock${isAnalog ? " analog" : ""}`, box);
  element.style.color = item.color;
  element.style.backgroundColor = item.background_color;
  const stepMs = item.seconds ? 1_000 : minuteMs;
  let cancelTick = (): void => {};

  function tick(): void {
    // The alarm may call back in a frame just before the second begins; that frame already shows the new second.
    const instant = clock.now() + halfFrameMs;
    for (const line of lines) line.showTime(instant);
    cancelTick = clock.alarm((Math.floor(instant / stepMs) + 1) * stepMs, tick);
  }

  /** Sets the size for the longest text, so that the clock neither grows nor jumps. */
  function layOut(): void {
    cancelTick();
    for (const line of lines) line.showLongest(clock.now());
    fitText(face, box, Math.max(context.height, context.width));
    tick();
  }

  return simpleItem(
    element,
    context,
    (signal) => {
      const texts = lines.flatMap((line) => line.textsFrom(clock.now()));
      return layOutInFonts(face, [...texts, item.label ?? ""], context, signal, layOut);
    },
    () => cancelTick(),
  );
}

function createDigits(item: ClockItem): Face {
  const format = new Intl.DateTimeFormat(item.locale, {
    timeZone: item.timezone,
    hour: item.hour12 ? "numeric" : "2-digit",
    minute: "2-digit",
    ...(item.seconds ? { second: "2-digit" } : {}),
    hourCycle: item.hour12 ? "h12" : "h23",
  });
  return createTextFace("time", format, hourMs, 24);
}

function createDate(item: ClockItem): Face {
  // JSON drops the fields that are undefined, which zod allows and Intl's type does not.
  const parts = JSON.parse(JSON.stringify(item.date_parts)) as Intl.DateTimeFormatOptions;
  return createTextFace("date", new Intl.DateTimeFormat(item.locale, { timeZone: item.timezone, ...parts }), dayMs, 366);
}

function createTextFace(className: string, format: Intl.DateTimeFormat, stepMs: number, steps: number): Face {
  const element = createElement("div", className);
  const write = (text: string): void => {
    element.textContent = text;
  };
  const textsFrom = (instant: number): string[] => Array.from({ length: steps }, (_, step) => format.format(instant + step * stepMs));
  return {
    element,
    showTime: (instant) => write(format.format(instant)),
    showLongest: (instant) => write(longestOf(textsFrom(instant))),
    textsFrom,
  };
}

function longestOf(texts: readonly string[]): string {
  return texts.reduce((longest, text) => (text.length > longest.length ? text : longest), "");
}
