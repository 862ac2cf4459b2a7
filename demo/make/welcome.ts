// Main, first picture: the sun comes up behind the hills and the bakery's window is lit.
import { smoothCurve, glow, palette, picture, verticalGradient, textLines, type Picture } from "./draw.ts";
import { seededRandom } from "../../test/support/random.ts";

const width = 1440;
const height = 930;

export function welcome(): Picture {
  const sun = { x: 1010, y: 560, r: 210 };
  return picture(
    "welcome",
    { width, height },
    `<defs>
      ${verticalGradient("sky", [0, palette.night], [0.3, "#5a2149"], [0.5, "#b53a48"], [0.64, palette.coral], [0.8, palette.butter])}
      ${verticalGradient("sun", "#fff6dc", [0.6, "#ffd98c"], [1, "#ffb35c"])}
      ${glow("halo", "#ffe2a0", 0.9)}
      ${hills.map((hill, at) => verticalGradient(`hill${at}`, hill.top, hill.foot)).join("")}
    </defs>
    <rect width="${width}" height="${height}" fill="url(#sky)"/>
    ${stars()}
    ${[560, 450, 345].map((r) => `<circle cx="${sun.x}" cy="${sun.y}" r="${r}" fill="#ffd28a" opacity="0.1"/>`).join("")}
    <circle cx="${sun.x}" cy="${sun.y}" r="520" fill="url(#halo)"/>
    <circle cx="${sun.x}" cy="${sun.y}" r="${sun.r}" fill="url(#sun)"/>
    ${cloud(90, 560, 330)}${cloud(1090, 372, 260)}${cloud(520, 540, 220)}
    ${ridge(0)}${ridge(1)}${bakery(1030, 700)}${ridge(2)}${ridge(3)}
    ${textLines("Morgenrot", { x: 84, y: 268, size: 196, fill: palette.cream, spacing: -3 })}
    ${textLines(["Bread, coffee and books", "since first light."], { x: 94, y: 410, size: 54, fill: palette.butter, face: "body", leading: 1.28 })}
    ${birds([720, 470], [782, 446], [812, 486])}`,
  );
}

const hills = [
  { y: 648, swing: 34, wave: 620, shift: 0.4, top: "#d85f4d", foot: "#a8384b" },
  { y: 720, swing: 46, wave: 840, shift: 2.9, top: "#8f2f4d", foot: "#6a2347" },
  { y: 792, swing: 38, wave: 700, shift: 4.6, top: "#55204a", foot: "#3d1a40" },
  { y: 866, swing: 30, wave: 930, shift: 1.4, top: "#2c1636", foot: palette.night },
] as const;

function ridge(at: 0 | 1 | 2 | 3): string {
  const hill = hills[at];
  const points: [number, number][] = [];
  for (let x = -40; x <= width + 40; x += 40) {
    const angle = (x / hill.wave) * 2 * Math.PI + hill.shift;
    points.push([x, hill.y + hill.swing * Math.sin(angle) + hill.swing * 0.35 * Math.sin(angle * 2.3 + at)]);
  }
  const trees = at === 2 ? poplars(points) : "";
  return `${trees}<path d="${smoothCurve(points)}V${height}H-40Z" fill="url(#hill${at})"/>`;
}

function poplars(points: readonly [number, number][]): string {
  const next = seededRandom(11);
  return [3, 4, 5, 8, 9, 13, 20, 35, 36]
    .map((index) => {
      const [x, y] = points[index]!;
      const tall = 54 + next() * 40;
      return `<ellipse cx="${x + next() * 14}" cy="${y - tall / 2 + 10}" rx="${tall * 0.17}" ry="${tall / 2}" fill="#461d47"/>`;
    })
    .join("");
}

/** The house: a gable, a chimney with its thread of smoke, and a warm window. */
function bakery(x: number, y: number): string {
  const smoke = smoothCurve([
    [x + 118, y - 58],
    [x + 106, y - 90],
    [x + 130, y - 122],
    [x + 112, y - 160],
    [x + 140, y - 200],
  ]);
  return `<path d="${smoke}" fill="none" stroke="#7a2748" stroke-width="9" stroke-linecap="round" opacity="0.35"/>
    <g fill="#3a1838">
      <rect x="${x + 106}" y="${y - 56}" width="24" height="60"/>
      <path d="M${x - 14} ${y + 24}L${x + 76} ${y - 50}L${x + 166} ${y + 24}Z"/>
      <rect x="${x}" y="${y + 20}" width="152" height="130"/>
      <rect x="${x + 150}" y="${y + 46}" width="76" height="84"/><path d="M${x + 140} ${y + 48}L${x + 152} ${y + 18}H${x + 218}L${x + 240} ${y + 48}Z"/>
    </g>
    <g fill="#ffd98c">
      <rect x="${x + 22}" y="${y + 44}" width="46" height="40" rx="3"/><path d="M${x + 90} ${y + 130}V${y + 62}a19 19 0 0 1 38 0V${y + 130}Z"/>
      <circle cx="${x + 76}" cy="${y - 4}" r="11"/><rect x="${x + 172}" y="${y + 58}" width="28" height="26" rx="3"/>
    </g>
    <path d="M${x + 45} ${y + 44}v40M${x + 22} ${y + 64}h46" stroke="#3a1838" stroke-width="4"/>`;
}

function cloud(x: number, y: number, w: number): string {
  const bar = (dx: number, dy: number, part: number) =>
    `<rect x="${x + dx}" y="${y + dy}" width="${w * part}" height="13" rx="6.5" fill="#ffd9a8" opacity="0.34"/>`;
  return bar(0, 0, 1) + bar(w * 0.18, -22, 0.55) + bar(w * 0.36, 22, 0.5);
}

function stars(): string {
  const next = seededRandom(5);
  return Array.from({ length: 60 }, () => {
    const y = next() ** 1.6 * 330;
    return `<circle cx="${(next() * width).toFixed(1)}" cy="${y.toFixed(1)}" r="${(0.8 + next() * 1.5).toFixed(2)}" fill="#ffe9c4" opacity="${(0.75 - y / 460).toFixed(2)}"/>`;
  }).join("");
}

function birds(...places: readonly (readonly [number, number])[]): string {
  return places
    .map(([x, y]) => `<path d="M${x} ${y}q11 -13 20 0q9 -13 20 0" fill="none" stroke="#4a1c42" stroke-width="4" stroke-linecap="round"/>`)
    .join("");
}
