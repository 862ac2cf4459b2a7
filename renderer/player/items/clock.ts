// The time of day: changes exactly with the second or minute of the corrected clock, without its digits moving.
import type { SceneItem } from "../../../src/protocol/scene.ts";
import { make } from "../dom.ts";
import { fitText } from "./fit.ts";
import { type Item, stillItem, type Surroundings } from "./item.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const halfFrameMs = 10;

/** A clock item. */
export function createClockFace(item: Extract<SceneItem, { type: "clock" }>, around: Surroundings): Item {
  const { clock } = around;
  const timeFormat = new Intl.DateTimeFormat(item.locale, {
    timeZone: item.timezone,
    hour: item.hour12 ? "numeric" : "2-digit",
    minute: "2-digit",
    ...(item.seconds ? { second: "2-digit" } : {}),
    hourCycle: item.hour12 ? "h12" : "h23",
  });
  const dateFormat = new Intl.DateTimeFormat(item.locale, {
    timeZone: item.timezone,
    weekday: "long",
    day: "numeric",
    month: "long",
  });
  const time = make("div", "time");
  const date = make("div", "date");
  const face = make("div", "face", time, ...(item.date ? [date] : []));
  const box = make("div", "box", face);
  const element = make("div", "item clock", box);
  element.style.color = item.color;
  element.style.backgroundColor = item.background_color;
  const stepMs = item.seconds ? 1_000 : 60_000;
  let cancelTick = (): void => {};

  function write(instant: number): void {
    time.textContent = timeFormat.format(instant);
    date.textContent = dateFormat.format(instant);
  }

  function tick(): void {
    // An alarm rings in the frame nearest, which may be just before the boundary: that frame is already the new second's.
    const instant = clock.now() + halfFrameMs;
    write(instant);
    cancelTick = clock.alarm((Math.floor(instant / stepMs) + 1) * stepMs, tick);
  }

  return stillItem(
    element,
    around,
    () => {
      // Sized once, for the longest it will ever say, so that it neither grows nor jumps.
      time.textContent = longest(timeFormat, clock.now(), hourMs, 24);
      date.textContent = longest(dateFormat, clock.now(), dayMs, 366);
      fitText(face, box, around.height);
      tick();
    },
    () => cancelTick(),
  );
}

function longest(format: Intl.DateTimeFormat, from: number, stepMs: number, steps: number): string {
  let best = "";
  for (let step = 0; step < steps; step++) {
    const text = format.format(from + step * stepMs);
    if (text.length > best.length) best = text;
  }
  return best;
}
