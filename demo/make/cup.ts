// Main, third picture: a flat white from above, its milk poured into a leaf, and a croissant beside it.
import { blur, glow, palette, picture, radialGradient, round, textLines, type Picture } from "./draw.ts";
import { seededRandom } from "../../test/support/random.ts";

const width = 1440;
const height = 930;
const cupAt = { x: 1046, y: 455 };

export function cup(): Picture {
  const { x, y } = cupAt;
  return picture(
    "cup",
    { width, height },
    `<defs>
      ${radialGradient("cloth", "#1d5f5b", [0.55, "#164d4b"], [1, "#0d3334"])}
      ${radialGradient("saucer", [0, "#f4e2c8"], [0.68, "#fff4e2"], [0.86, "#fffaf0"], [1, "#e6cdab"])}
      ${radialGradient("rim", [0.86, "#fffaf2"], [1, "#efdcc0"])}
      ${radialGradient("coffee", [0, "#a4602f"], [0.6, "#8a4a22"], [0.92, "#5d2c14"], [1, "#4a210f"])}
      ${glow("light", "#ffe9bf", 0.32)}
      ${blur("soft", 24)}${blur("near", 9)}
    </defs>
    <rect width="${width}" height="${height}" fill="url(#cloth)"/>
    ${beans()}
    <circle cx="${x - 60}" cy="${y - 130}" r="640" fill="url(#light)"/>
    <circle cx="${x + 26}" cy="${y + 44}" r="378" fill="#051c1d" opacity="0.6" filter="url(#soft)"/>
    <circle cx="${x}" cy="${y}" r="378" fill="url(#saucer)"/>
    <circle cx="${x}" cy="${y}" r="300" fill="none" stroke="#e2c7a2" stroke-width="3"/>
    <circle cx="${x}" cy="${y}" r="360" fill="none" stroke="${palette.coral}" stroke-width="7"/>
    <circle cx="${x + 14}" cy="${y + 24}" r="256" fill="#6b4528" opacity="0.5" filter="url(#near)"/>
    <g transform="rotate(-38 ${x} ${y})"><rect x="${x + 232}" y="${y - 27}" width="128" height="54" rx="27" fill="#fffaf2"/>
      <rect x="${x + 248}" y="${y - 11}" width="92" height="22" rx="11" fill="#d9bd98"/></g>
    <circle cx="${x}" cy="${y}" r="252" fill="url(#rim)"/>
    <circle cx="${x}" cy="${y}" r="226" fill="url(#coffee)"/>
    <g transform="rotate(-24 ${x} ${y}) translate(${x} ${y})">${leaf()}</g>
    <circle cx="${x}" cy="${y}" r="226" fill="none" stroke="#3c190b" stroke-width="6" opacity="0.45"/>
    ${textLines("EVERY MORNING", { x: 92, y: 190, size: 40, fill: palette.apricot, face: "label", spacing: 9 })}
    ${textLines(["Flat", "white"], { x: 84, y: 356, size: 182, fill: palette.cream, spacing: -3, leading: 0.96 })}
    ${textLines(["with a butter croissant,", "until eleven."], { x: 92, y: 668, size: 50, fill: "#cfe5d6", face: "body", leading: 1.26 })}
    <rect x="90" y="772" width="250" height="92" rx="46" fill="${palette.coral}"/>
    ${textLines("€ 5.90", { x: 215, y: 836, size: 56, fill: palette.night, face: "label", anchor: "middle" })}
    ${croissant(1262, 780)}`,
  );
}

/** The poured leaf: nested strokes of milk that narrow to the tip, and the line drawn through them. */
function leaf(): string {
  const layers = Array.from({ length: 6 }, (_, at) => {
    const y = 140 - at * 37;
    const reach = 154 * Math.sin(Math.PI * (0.3 + (at / 6) * 0.56)) + 8;
    const thick = 15 - at * 0.7;
    const side = (s: number) =>
      `M0 ${y}C${round(s * reach * 0.5)} ${y + 22} ${round(s * reach)} ${y - 8} ${round(s * reach)} ${round(y - 58)}` +
      `C${round(s * (reach - thick))} ${round(y - 30)} ${round(s * reach * 0.48)} ${round(y - thick)} 0 ${round(y - thick * 1.2)}Z`;
    return `<path d="${side(-1)}${side(1)}" fill="#fff1da"/>`;
  });
  return `${layers.join("")}<path d="M0 -128c40 -40 70 -8 42 26c-16 20 -36 30 -42 46c-6 -16 -26 -26 -42 -46c-28 -34 2 -66 42 -26Z" fill="#fff1da"/>
    <path d="M0 -116C3 -20 3 70 0 178C-3 70 -3 -20 0 -116Z" fill="#8a4a22" stroke="#8a4a22" stroke-width="3"/>`;
}

function beans(): string {
  const next = seededRandom(29);
  const places = [
    [560, 90],
    [648, 66],
    [615, 140],
    [1392, 70],
    [1340, 40],
    [585, 850],
    [660, 880],
  ] as const;
  return places
    .map(
      ([x, y]) =>
        `<g transform="translate(${x} ${y}) rotate(${round(next() * 180)})"><ellipse cx="4" cy="8" rx="31" ry="22" fill="#06201f" opacity="0.5"/>
        <ellipse rx="31" ry="21" fill="#6a351b"/><path d="M-29 0C-12 -9 10 9 29 0" fill="none" stroke="#38180b" stroke-width="5" stroke-linecap="round"/></g>`,
    )
    .join("");
}

/** Seven rolled segments along a bow, largest in the middle. */
function croissant(x: number, y: number): string {
  const parts = [-3, 3, -2, 2, -1, 1, 0].map((at) => {
    const angle = at * 25;
    const size = 1 - Math.abs(at) * 0.16;
    return `<g transform="rotate(${angle}) translate(0 -118)"><g transform="scale(${round(size)} ${round(size * 0.96)})">
      <path d="M-46 62C-74 6 -48 -72 0 -78C48 -72 74 6 46 62C20 82 -20 82 -46 62Z" fill="#b8642a"/>
      <path d="M-38 50C-62 4 -40 -62 0 -68C40 -62 62 4 38 50C16 66 -16 66 -38 50Z" fill="#dd8f42"/>
      <path d="M-24 34C-40 2 -28 -44 0 -52C16 -34 10 20 -4 44Z" fill="#f3b668"/></g></g>`;
  });
  return `<g transform="translate(${x} ${y + 90}) rotate(-20) scale(1.06)">
    <g transform="translate(18 30)" opacity="0.55" filter="url(#near)"><path d="M-170 40C-170 -110 -90 -190 0 -190S170 -110 170 40C120 -10 60 -50 0 -50S-120 -10 -170 40Z" fill="#051c1d"/></g>
    ${parts.join("")}</g>`;
}
