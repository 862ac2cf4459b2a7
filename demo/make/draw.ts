// Drawing functions of the demo's pictures: palette, text, and rendering of SVG.
import sharp from "sharp";
import { seededRandom } from "../../test/support/random.ts";

/** The colours of Morgenrot, from night to daylight, and two cool contrasting colours. */
export const palette = {
  night: "#1f1530",
  plum: "#341b3c",
  berry: "#7a2748",
  ember: "#c8432f",
  coral: "#ee7548",
  apricot: "#f9b268",
  butter: "#ffdc9c",
  cream: "#fff3e0",
  pine: "#12403f",
  sage: "#8fb9a0",
} as const;

export interface Picture {
  name: string;
  width: number;
  height: number;
  svg: string;
}

/** A picture with the size of its zone. */
export function picture(name: string, size: { width: number; height: number }, body: string): Picture {
  const { width, height } = size;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${body}</svg>`;
  return { name, width, height, svg };
}

const faces = {
  title: `font-family="Vollkorn" font-weight="900"`,
  label: `font-family="Lato" font-weight="800"`,
  body: `font-family="Lato" font-weight="600"`,
} as const;

export interface TextStyle {
  x: number;
  y: number;
  size: number;
  fill: string;
  face?: keyof typeof faces;
  anchor?: "start" | "middle" | "end";
  /** Line height, as a multiple of the font size. */
  leading?: number;
  /** Letter spacing in pixels. */
  spacing?: number;
}

/** Lines of text; `y` is the first baseline. */
export function textLines(lines: string | readonly string[], type: TextStyle): string {
  const { x, y, size, fill, face = "title", anchor = "start", leading = 1.05, spacing = 0 } = type;
  return [lines]
    .flat()
    .map((line, at) => {
      const text = line.replaceAll("&", "&amp;");
      const place = `x="${x}" y="${round(y + at * size * leading)}"`;
      return `<text ${place} ${faces[face]} font-size="${size}" letter-spacing="${spacing}" text-anchor="${anchor}" fill="${fill}">${text}</text>`;
    })
    .join("");
}

/** A vertical gradient of equal or given stops, as a definition named `id`. */
export function verticalGradient(id: string, ...stops: readonly (string | readonly [at: number, colour: string])[]): string {
  return `<linearGradient id="${id}" x1="0" y1="0" x2="0" y2="1">${toStops(stops)}</linearGradient>`;
}

/** A round gradient from the middle outwards, as a definition named `id`. */
export function radialGradient(id: string, ...stops: readonly (string | readonly [at: number, colour: string])[]): string {
  return `<radialGradient id="${id}">${toStops(stops)}</radialGradient>`;
}

/** A glow that fades from `colour` to nothing. */
export function glow(id: string, colour: string, strength = 1): string {
  return (
    `<radialGradient id="${id}"><stop offset="0" stop-color="${colour}" stop-opacity="${strength}"/>` +
    `<stop offset="0.45" stop-color="${colour}" stop-opacity="${strength * 0.42}"/>` +
    `<stop offset="1" stop-color="${colour}" stop-opacity="0"/></radialGradient>`
  );
}

/** A definition that blurs by `deviation` pixels. */
export function blur(id: string, deviation: number): string {
  return `<filter id="${id}" x="-50%" y="-50%" width="200%" height="200%"><feGaussianBlur stdDeviation="${deviation}"/></filter>`;
}

/** A smooth open curve through the points (Catmull-Rom), as path data. */
export function smoothCurve(points: readonly (readonly [number, number])[]): string {
  const at = (index: number) => points[Math.min(Math.max(index, 0), points.length - 1)]!;
  let path = `M${round(at(0)[0])} ${round(at(0)[1])}`;
  for (let i = 0; i < points.length - 1; i++) {
    const [a, b, c, d] = [at(i - 1), at(i), at(i + 1), at(i + 2)];
    const first = [b[0] + (c[0] - a[0]) / 6, b[1] + (c[1] - a[1]) / 6] as const;
    const second = [c[0] - (d[0] - b[0]) / 6, c[1] - (d[1] - b[1]) / 6] as const;
    path += `C${[...first, ...second, ...c].map(round).join(" ")}`;
  }
  return path;
}

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Renders a picture to RGB pixels, with invisible noise that prevents banding of gradients. */
export async function renderPixels(svg: string, seed = 1): Promise<{ data: Buffer; info: { width: number; height: number } }> {
  const { data, info } = await sharp(Buffer.from(svg)).flatten().removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const next = seededRandom(seed);
  for (let at = 0; at < data.length; at += 3) {
    const grain = (next() + next() - 1) * 2.2;
    for (let channel = at; channel < at + 3; channel++) {
      data[channel] = Math.min(255, Math.max(0, Math.round(data[channel]! + grain)));
    }
  }
  return { data, info };
}

function toStops(stops: readonly (string | readonly [number, string])[]): string {
  return stops
    .map((stop, index) => (typeof stop === "string" ? ([index / (stops.length - 1), stop] as const) : stop))
    .map(([offset, colour]) => `<stop offset="${offset}" stop-color="${colour}"/>`)
    .join("");
}
