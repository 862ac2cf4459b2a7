// The dial of an analog clock: twelve marks and two or three hands.
import type { SceneItem } from "../../../../src/protocol/scene.ts";
import type { Face } from "./face.ts";

const svgNamespace = "http://www.w3.org/2000/svg";
// Lengths in a circle of radius 100.
const marks = { from: 86, to: 96, width: 2.4, quarterFrom: 80, quarterWidth: 4.4 };
const hands = {
  hour: { length: 52, tail: 12, width: 6.4 },
  minute: { length: 80, tail: 14, width: 4.6 },
  second: { length: 86, tail: 20, width: 1.6 },
};

/** Creates a dial that shows the time in the item's time zone. */
export function createDial(item: Extract<SceneItem, { type: "clock" }>): Face {
  const format = new Intl.DateTimeFormat("en", {
    timeZone: item.timezone,
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
    hourCycle: "h23",
  });
  const dial = svg("svg", { class: "dial", viewBox: "-100 -100 200 200" });
  for (let hour = 0; hour < 12; hour++) {
    const isQuarter = hour % 3 === 0;
    const [from, width] = isQuarter ? [marks.quarterFrom, marks.quarterWidth] : [marks.from, marks.width];
    dial.append(line(-from, -marks.to, width, hour * 30));
  }
  const hour = hand("hour");
  const minute = hand("minute");
  const second = hand("second");
  dial.append(hour, minute, ...(item.seconds ? [second] : []), svg("circle", { r: "4.6", fill: "currentColor" }));

  function write(instant: number): void {
    const part = (type: string, parts: Intl.DateTimeFormatPart[]): number => Number(parts.find((one) => one.type === type)?.value ?? 0);
    const parts = format.formatToParts(instant);
    const seconds = part("second", parts);
    const minutes = part("minute", parts) + (item.seconds ? seconds / 60 : 0);
    turn(second, seconds * 6);
    turn(minute, minutes * 6);
    turn(hour, (part("hour", parts) % 12) * 30 + minutes / 2);
  }

  return { element: dial, showTime: write, showLongest: write, textsFrom: () => [] };
}

function hand(name: keyof typeof hands): SVGElement {
  const { length, tail, width } = hands[name];
  const element = line(tail, -length, width, 0);
  element.setAttribute("class", `hand ${name}`);
  return element;
}

function line(from: number, to: number, width: number, degrees: number): SVGElement {
  const element = svg("line", {
    y1: String(from),
    y2: String(to),
    stroke: "currentColor",
    "stroke-width": String(width),
    "stroke-linecap": "round",
  });
  turn(element, degrees);
  return element;
}

function turn(element: SVGElement, degrees: number): void {
  element.setAttribute("transform", `rotate(${degrees})`);
}

function svg(tag: string, attributes: Record<string, string>): SVGElement {
  const element = document.createElementNS(svgNamespace, tag) as SVGElement;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}
