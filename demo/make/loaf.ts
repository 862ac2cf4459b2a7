// Main, second picture: a round sourdough loaf seen from above, scored with an ear of wheat.
import { blur, glow, palette, picture, radialGradient, round, textLines, type Picture } from "./draw.ts";

const width = 1440;
const height = 930;
const loafAt = { x: 1056, y: 466, r: 318 };

export function loaf(): Picture {
  return picture(
    "loaf",
    { width, height },
    `<defs>
      ${radialGradient("table", "#fff6e6", [0.6, "#ffeed6"], [1, "#fbdcb4"])}
      ${radialGradient("crust", [0, "#e9a45c"], [0.5, "#d68440"], [0.78, "#b25f2b"], [0.94, "#7f3a1d"], [1, "#5f2a18"])}
      ${glow("shine", "#ffe0aa", 0.75)}
      ${blur("soft", 26)}${blur("flour", 2.2)}
      <clipPath id="round"><circle cx="${loafAt.x}" cy="${loafAt.y}" r="${loafAt.r - 6}"/></clipPath>
    </defs>
    <rect width="${width}" height="${height}" fill="url(#table)"/>
    <circle cx="${loafAt.x + 62}" cy="${loafAt.y - 10}" r="500" fill="${palette.coral}"/>
    <circle cx="${loafAt.x + 62}" cy="${loafAt.y - 10}" r="420" fill="#f28653"/>
    ${ear(1316, 862, -87, 1)}${ear(880, 62, 93, 0.94)}
    <circle cx="${loafAt.x + 24}" cy="${loafAt.y + 40}" r="${loafAt.r}" fill="#7a2412" opacity="0.5" filter="url(#soft)"/>
    <circle cx="${loafAt.x}" cy="${loafAt.y}" r="${loafAt.r}" fill="url(#crust)"/>
    <g clip-path="url(#round)">${rings()}<circle cx="${loafAt.x - 90}" cy="${loafAt.y - 120}" r="260" fill="url(#shine)"/></g>
    ${scoring()}
    ${textLines("SLOW BREAD", { x: 92, y: 190, size: 40, fill: palette.ember, face: "label", spacing: 9 })}
    ${textLines(["Sour-", "dough"], { x: 84, y: 350, size: 160, fill: palette.plum, spacing: -3, leading: 1 })}
    ${textLines(["Twenty-four hours", "in the making."], { x: 92, y: 668, size: 50, fill: palette.berry, face: "body", leading: 1.26 })}
    <rect x="90" y="772" width="250" height="92" rx="46" fill="${palette.plum}"/>
    ${textLines("€ 5.80", { x: 215, y: 836, size: 56, fill: palette.butter, face: "label", anchor: "middle" })}`,
  );
}

/** The flour that the proving basket leaves: rings with gaps. */
function rings(): string {
  return Array.from({ length: 9 }, (_, at) => {
    const r = 66 + at * 28;
    const dash = `${round(r * 0.9)} ${round(r * 0.07)} ${round(r * 0.42)} ${round(r * 0.05)}`;
    return `<circle cx="${loafAt.x}" cy="${loafAt.y}" r="${r}" fill="none" stroke="#fff3df" stroke-width="11" stroke-dasharray="${dash}" stroke-dashoffset="${at * 53}" opacity="${round(0.5 - at * 0.03)}" filter="url(#flour)"/>`;
  }).join("");
}

/** The baker's cuts, opened in the oven: a stem and five pairs of grains. */
function scoring(): string {
  const { x, y } = loafAt;
  const cut = (dx: number, dy: number, long: number, thick: number, turn: number) =>
    `<g transform="translate(${x + dx} ${y + dy}) rotate(${turn})">
      <path d="${lens(long + 16, thick + 12)}" fill="#6b3018"/><path d="${lens(long, thick)}" fill="#f7d49b"/>
      <path d="${lens(long * 0.8, thick * 0.42)}" fill="#fff0cf"/></g>`;
  const pairs = [-150, -78, -4, 72, 146].flatMap((dy, at) => {
    const long = 118 - Math.abs(at - 2) * 9;
    return [cut(-66, dy, long, 40, 52), cut(66, dy, long, 40, -52)];
  });
  return `<g transform="rotate(14 ${x} ${y})">${pairs.join("")}${cut(0, 20, 470, 30, 90)}${cut(0, -236, 92, 36, 90)}</g>`;
}

/** A leaf of the given length along x, its middle at the origin. */
function lens(long: number, thick: number): string {
  const half = long / 2;
  return `M${-half} 0Q0 ${-thick} ${half} 0Q0 ${thick} ${-half} 0Z`;
}

/** An ear of wheat that grows upwards from (x, y), turned by `turn` degrees. */
function ear(x: number, y: number, turn: number, scale: number): string {
  const grains = Array.from({ length: 6 }, (_, at) => {
    const up = -190 - at * 34;
    return [-1, 1]
      .map(
        (side) =>
          `<path d="M0 ${up + 20}q${side * 34} -14 ${side * 30} -62q${side * -32} 12 ${side * -30} 62Z" fill="${at % 2 ? "#ffd48a" : palette.apricot}"/>
          <path d="M${side * 30} ${up - 42}l${side * 26} -62" stroke="#ffd48a" stroke-width="3" stroke-linecap="round"/>`,
      )
      .join("");
  }).join("");
  return `<g transform="translate(${x} ${y}) rotate(${turn}) scale(${scale})"><path d="M0 60V-400" stroke="#ffd48a" stroke-width="7" stroke-linecap="round"/>${grains}
    <path d="M0 -380q22 -28 0 -74q-22 46 0 74Z" fill="#ffd48a"/></g>`;
}
