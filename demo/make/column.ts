// The side column's three pictures: cinnamon buns, the book of the week and the card with ten cups.
import { blur, smoothCurve, glow, palette, picture, radialGradient, round, verticalGradient, textLines, type Picture } from "./draw.ts";

const size = { width: 480, height: 930 };
const middle = size.width / 2;

export function buns(): Picture {
  const at = { x: middle, y: 436, r: 176 };
  return picture(
    "buns",
    size,
    `<defs>${verticalGradient("ground", "#ffcf86", palette.apricot)}
      ${radialGradient("dough", [0, "#f8cf8f"], [0.7, "#e9a756"], [1, "#c5732f"])}${glow("shine", "#fff3d6", 0.8)}${blur("soft", 16)}</defs>
    <rect width="480" height="930" fill="url(#ground)"/>
    ${rays(at.x, at.y)}
    ${textLines("FRESH AT", { x: middle, y: 108, size: 38, fill: palette.berry, face: "label", anchor: "middle", spacing: 8 })}
    ${textLines("8, 11 & 3", { x: middle, y: 196, size: 82, fill: palette.plum, face: "label", anchor: "middle" })}
    <circle cx="${at.x + 8}" cy="${at.y + 26}" r="${at.r}" fill="#8a3a1c" opacity="0.55" filter="url(#soft)"/>
    <circle cx="${at.x}" cy="${at.y}" r="${at.r}" fill="url(#dough)"/>
    <path d="${spiral(at.x, at.y, at.r - 14, 3.4)}" fill="none" stroke="#7a3517" stroke-width="17" stroke-linecap="round"/>
    <path d="${spiral(at.x, at.y - 7, at.r - 14, 3.4)}" fill="none" stroke="#b9652b" stroke-width="6" stroke-linecap="round" opacity="0.9"/>
    <circle cx="${at.x - 50}" cy="${at.y - 70}" r="120" fill="url(#shine)" opacity="0.6"/>
    ${icing(at.x, at.y)}
    ${textLines(["Cinnamon", "buns"], { x: middle, y: 718, size: 80, fill: palette.plum, anchor: "middle", spacing: -2, leading: 0.94 })}
    ${tag(846, "€ 3.20", palette.plum, palette.butter)}`,
  );
}

export function book(): Picture {
  const [left, top, wide, tall] = [104, 212, 272, 392];
  return picture(
    "book",
    size,
    `<defs>${verticalGradient("ground", "#1b5b58", palette.pine)}${verticalGradient("cover", "#f2855a", [0.55, palette.ember], [1, "#8a2440"])}
      ${blur("soft", 18)}${glow("light", "#d9f0df", 0.28)}</defs>
    <rect width="480" height="930" fill="url(#ground)"/><circle cx="${middle}" cy="400" r="380" fill="url(#light)"/>
    ${textLines("BOOK OF THE WEEK", { x: middle, y: 116, size: 36, fill: palette.apricot, face: "label", anchor: "middle", spacing: 4 })}
    <g transform="rotate(-5 ${middle} 408)">
      <rect x="${left + 14}" y="${top + 26}" width="${wide}" height="${tall}" rx="8" fill="#031718" opacity="0.7" filter="url(#soft)"/>
      <rect x="${left + 8}" y="${top + 8}" width="${wide}" height="${tall}" rx="8" fill="#f3e3c8"/>
      <rect x="${left}" y="${top}" width="${wide}" height="${tall}" rx="8" fill="url(#cover)"/>
      <circle cx="${middle + 12}" cy="${top + 196}" r="68" fill="${palette.butter}"/>
      ${wave(left, top, 220, "#7a2748")}${wave(left, top, 262, "#561c42")}${wave(left, top, 304, palette.plum)}
      <path d="M${middle - 2} ${top + 216}l44 0l-9 20h-30Z" fill="${palette.night}"/><path d="M${middle + 20} ${top + 212}V${top + 150}l34 56Z" fill="${palette.cream}"/>
      ${textLines(["The Salt", "Road"], { x: middle + 12, y: top + 62, size: 52, fill: palette.cream, anchor: "middle", leading: 0.96 })}
      ${textLines("IDA LINDQVIST", { x: middle + 12, y: top + 366, size: 24, fill: palette.butter, face: "label", anchor: "middle", spacing: 3 })}
      <rect x="${left}" y="${top}" width="20" height="${tall}" rx="8" fill="#000" opacity="0.22"/>
    </g>
    ${textLines(["A ferry, a map", "and one winter."], { x: middle, y: 720, size: 52, fill: palette.cream, anchor: "middle", leading: 1.12 })}
    ${tag(846, "€ 18", palette.apricot, palette.night)}`,
  );
}

export function card(): Picture {
  const paid = Array.from({ length: 9 }, (_, at) => mug(77 + (at % 3) * 118, 320 + Math.floor(at / 3) * 106, palette.plum));
  return picture(
    "card",
    size,
    `<defs>${verticalGradient("ground", "#d8503a", "#a92f3c")}${blur("soft", 14)}</defs>
    <rect width="480" height="930" fill="url(#ground)"/>
    ${textLines(["The tenth", "is ours."], { x: middle, y: 130, size: 84, fill: palette.cream, anchor: "middle", spacing: -2, leading: 0.98 })}
    <rect x="44" y="286" width="400" height="478" rx="28" fill="#5a1426" opacity="0.6" filter="url(#soft)"/>
    <rect x="40" y="270" width="400" height="478" rx="28" fill="${palette.cream}"/>
    ${paid.join("")}
    <circle cx="${middle}" cy="678" r="58" fill="${palette.apricot}"/><g transform="translate(${middle} 684) scale(0.92) translate(-46 -40)">${mug(0, 0, palette.plum)}</g>
    ${textLines(["Nine coffees,", "one on the house."], { x: middle, y: 816, size: 46, fill: palette.butter, face: "body", anchor: "middle", leading: 1.24 })}`,
  );
}

function tag(y: number, text: string, ground: string, fill: string): string {
  return `<rect x="${middle - 112}" y="${y - 8}" width="224" height="76" rx="38" fill="${ground}"/>${textLines(text, { x: middle, y: y + 47, size: 48, fill, face: "label", anchor: "middle" })}`;
}

/** Broad rays behind the bun, as on old bread bags. */
function rays(x: number, y: number): string {
  return Array.from({ length: 16 }, (_, at) => {
    const point = (turn: number) => `${round(x + 900 * Math.cos(turn))} ${round(y + 900 * Math.sin(turn))}`;
    const start = (at / 16) * 2 * Math.PI;
    return `<path d="M${x} ${y}L${point(start)}L${point(start + Math.PI / 16)}Z" fill="#fff3d6" opacity="0.2"/>`;
  }).join("");
}

function spiral(x: number, y: number, outer: number, turns: number): string {
  const points: [number, number][] = [];
  for (let angle = 0.6; angle <= turns * 2 * Math.PI; angle += 0.3) {
    const r = (angle / (turns * 2 * Math.PI)) * outer;
    points.push([x + r * Math.cos(angle), y + r * Math.sin(angle)]);
  }
  return smoothCurve(points);
}

/** A thread of icing in zigzag across the bun. */
function icing(x: number, y: number): string {
  const reach = 138;
  const points = Array.from({ length: 11 }, (_, at) => {
    const dx = -reach + (at / 10) * 2 * reach;
    const edge = Math.sqrt(reach ** 2 - dx ** 2) * 0.94;
    return [x + dx, y + (at % 2 ? -edge : edge)] as const;
  });
  return `<g transform="rotate(-22 ${x} ${y})"><path d="${smoothCurve(points)}" fill="none" stroke="#fff8ec" stroke-width="10" stroke-linecap="round" stroke-linejoin="round"/></g>`;
}

function wave(left: number, top: number, dy: number, fill: string): string {
  const points = [0, 45, 90, 136, 182, 227, 272].map((dx, at) => [left + dx, top + dy + (at % 2 ? 9 : -9)] as const);
  return `<path d="${smoothCurve(points)}V${top + 384}q0 8 -8 8H${left + 8}q-8 0 -8 -8Z" fill="${fill}"/>`;
}

function mug(x: number, y: number, fill: string): string {
  return `<g transform="translate(${x} ${y})"><path d="M4 18H78V52a26 26 0 0 1 -26 26H30A26 26 0 0 1 4 52Z" fill="${fill}"/>
    <path d="M78 28h8a17 17 0 0 1 0 34h-10" fill="none" stroke="${fill}" stroke-width="9"/>
    <path d="M28 6q-7 -10 0 -20M50 6q-7 -10 0 -20" fill="none" stroke="${palette.coral}" stroke-width="6" stroke-linecap="round"/></g>`;
}
