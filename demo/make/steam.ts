// The demo's video: a steaming cup on the sill, and snow outside. Every motion repeats once per loop.
import { blur, glow, palette, picture, radialGradient, verticalGradient, textLines } from "./draw.ts";
import sharp from "sharp";
import { seededRandom } from "../../test/support/random.ts";

export const video = {
  name: "steam",
  width: 1440,
  height: 930,
  framesPerSecond: 30,
  seconds: 7,
} as const;

const { width, height } = video;
const pane = { left: 700, top: 84, right: 1330, bottom: 716 };
const cup = { x: 1015, top: 520 };
// Steam is soft, so it is computed on a coarse grid and enlarged.
const coarse = 5;

/** The RGB frames of one loop. */
export async function* frames(): AsyncGenerator<Buffer> {
  const outside = await sharp(Buffer.from(view())).removeAlpha().raw().toBuffer();
  const inside = await sharp(Buffer.from(room())).ensureAlpha().raw().toBuffer();
  const count = video.framesPerSecond * video.seconds;
  for (let at = 0; at < count; at++) {
    const phase = at / count;
    const frame = Buffer.from(outside);
    snow(frame, phase);
    cover(frame, inside);
    whiten(frame, await steam(phase));
    yield frame;
  }
}

function view(): string {
  const { left, right, bottom } = pane;
  return picture(
    "view",
    video,
    `<defs>${verticalGradient("sky", [0.06, "#2a1a44"], [0.36, "#6a2a58"], [0.58, "#c24b52"], [0.7, "#f08a58"], [0.78, palette.butter])}${glow("sun", "#fff0c2", 0.95)}</defs>
    <rect width="${width}" height="${height}" fill="url(#sky)"/>
    <circle cx="900" cy="640" r="330" fill="url(#sun)"/><circle cx="900" cy="636" r="64" fill="#fff4d6"/>
    <path d="M${left - 20} 640C${left + 120} 560 ${left + 240} 640 ${left + 340} 616S${left + 560} 560 ${right + 20} 622V${bottom + 40}H${left - 20}Z" fill="#a34a62"/>
    <path d="M${left - 20} 690C${left + 160} 640 ${left + 300} 700 ${left + 420} 668S${left + 560} 640 ${right + 20} 676V${bottom + 40}H${left - 20}Z" fill="#6d3358"/>`,
  ).svg;
}

/** Everything in front of the view: wall, window frame, sill and cup. */
function room(): string {
  const { left, top, right, bottom } = pane;
  const middle = (left + right) / 2;
  const spring = top + 300;
  const arch = (inset: number) =>
    `M${left + inset} ${bottom}V${spring}A${(right - left) / 2 - inset} ${spring - top - inset} 0 0 1 ${right - inset} ${spring}V${bottom}Z`;
  return picture(
    "room",
    video,
    `<defs>${radialGradient("wall", "#4a2547", [0.55, "#361b3e"], [1, "#22142f"])}${verticalGradient("sill", "#8d4a3c", "#4d2530")}
      <linearGradient id="body"><stop offset="0" stop-color="#f6866a"/><stop offset="0.35" stop-color="${palette.ember}"/><stop offset="1" stop-color="#7e1f33"/></linearGradient>
      ${verticalGradient("lip", "#ffe9cf", "#f1c6a0")}${blur("soft", 14)}</defs>
    <path fill-rule="evenodd" d="M0 0H${width}V${height}H0Z${arch(0)}" fill="url(#wall)"/>
    <path d="M${middle} ${top}V${bottom}M${left} ${spring}H${right}" stroke="#5a2c48" stroke-width="13"/>
    <path d="${arch(0)}" fill="none" stroke="#1a0f26" stroke-width="26"/><path d="${arch(0)}" fill="none" stroke="#70394f" stroke-width="14"/>
    <rect y="${bottom}" width="${width}" height="${height - bottom}" fill="url(#sill)"/><rect y="${bottom}" width="${width}" height="8" fill="#d98a5f"/>
    <ellipse cx="${cup.x + 26}" cy="796" rx="270" ry="34" fill="#1d0d1c" opacity="0.65" filter="url(#soft)"/>
    <ellipse cx="${cup.x}" cy="778" rx="232" ry="36" fill="#d9a27c"/><ellipse cx="${cup.x}" cy="770" rx="232" ry="34" fill="${palette.cream}"/>
    <ellipse cx="${cup.x}" cy="768" rx="128" ry="17" fill="#c98f6c"/>
    <path d="M${cup.x + 148} ${cup.top + 52}C${cup.x + 268} ${cup.top + 30} ${cup.x + 262} ${cup.top + 186} ${cup.x + 104} ${cup.top + 178}" fill="none" stroke="#93253a" stroke-width="28" stroke-linecap="round"/>
    <path d="M${cup.x - 170} ${cup.top}C${cup.x - 166} ${cup.top + 150} ${cup.x - 128} ${cup.top + 246} ${cup.x - 78} ${cup.top + 250}H${cup.x + 78}C${cup.x + 128} ${cup.top + 246} ${cup.x + 166} ${cup.top + 150} ${cup.x + 170} ${cup.top}Z" fill="url(#body)"/>
    <ellipse cx="${cup.x}" cy="${cup.top}" rx="170" ry="36" fill="url(#lip)"/><ellipse cx="${cup.x}" cy="${cup.top + 3}" rx="152" ry="28" fill="#5a2a16"/>
    <ellipse cx="${cup.x}" cy="${cup.top + 8}" rx="138" ry="21" fill="#8a4a22"/>
    <path d="M${cup.x - 128} ${cup.top + 56}C${cup.x - 122} ${cup.top + 130} ${cup.x - 106} ${cup.top + 176} ${cup.x - 88} ${cup.top + 204}" fill="none" stroke="#ffc2a2" stroke-width="11" stroke-linecap="round" opacity="0.7"/>
    ${volume(130, 806, 400, 54, "#1f6a66")}${volume(168, 752, 330, 48, palette.apricot)}
    ${textLines("OPEN FROM SIX", { x: 92, y: 190, size: 40, fill: palette.apricot, face: "label", spacing: 9 })}
    ${textLines(["Come in,", "it’s warm."], { x: 84, y: 336, size: 110, fill: palette.cream, spacing: -2, leading: 1.06 })}
    ${textLines(["Coffee is ready", "and the oven is on."], { x: 92, y: 556, size: 50, fill: palette.butter, face: "body", leading: 1.26 })}`,
  ).svg;
}

/** A book that lies on the sill, its spine to the left. */
function volume(x: number, y: number, long: number, thick: number, cover: string): string {
  return `<rect x="${x}" y="${y}" width="${long}" height="${thick}" rx="7" fill="${cover}"/><rect x="${x + long - 18}" y="${y + 8}" width="18" height="${thick - 16}" fill="${palette.cream}"/>
    <rect x="${x + 40}" y="${y}" width="10" height="${thick}" fill="#fff" opacity="0.35"/><rect x="${x}" y="${y + thick - 8}" width="${long}" height="8" rx="4" fill="#1f1530" opacity="0.25"/>`;
}

/** Soft flakes that fall a whole number of window heights per loop. */
function snow(frame: Buffer, phase: number): void {
  const next = seededRandom(17);
  const drop = pane.bottom - pane.top + 40;
  for (let flake = 0; flake < 64; flake++) {
    const [size, x, start, sway] = [2.2 + next() ** 2 * 4.5, pane.left + next() * (pane.right - pane.left), next(), next()];
    const falls = size > 4 ? 2 : 1;
    const y = pane.top - 20 + ((start + phase * falls) % 1) * drop;
    dot(frame, x + 16 * Math.sin(2 * Math.PI * (phase + sway)), y, size, 0.5 + size * 0.07);
  }
}

function dot(frame: Buffer, x: number, y: number, size: number, strength: number): void {
  for (let row = Math.max(0, Math.floor(y - size * 2)); row <= Math.min(height - 1, y + size * 2); row++) {
    for (let column = Math.floor(x - size * 2); column <= x + size * 2; column++) {
      const light = strength * Math.exp(-((column - x) ** 2 + (row - y) ** 2) / (0.7 * size ** 2));
      lighten(frame, (row * width + column) * 3, light);
    }
  }
}

function cover(frame: Buffer, front: Buffer): void {
  for (let pixel = 0; pixel < width * height; pixel++) {
    const alpha = front[pixel * 4 + 3]! / 255;
    if (alpha === 0) continue;
    for (let channel = 0; channel < 3; channel++) {
      const at = pixel * 3 + channel;
      frame[at] = Math.round(frame[at]! * (1 - alpha) + front[pixel * 4 + channel]! * alpha);
    }
  }
}

const threads = [
  { x: -66, sway: 40, wave: 250, turn: 0.1, rises: 1, strength: 0.42 },
  { x: 4, sway: 54, wave: 310, turn: 0.45, rises: 1, strength: 0.6 },
  { x: 64, sway: 44, wave: 230, turn: 0.8, rises: 1, strength: 0.46 },
  { x: 24, sway: 78, wave: 420, turn: 0.3, rises: 1, strength: 0.3 },
] as const;

/** The opacity of the steam, one byte per pixel: threads that sway more and widen as they rise. */
async function steam(phase: number): Promise<Buffer> {
  const [columns, rows] = [width / coarse, height / coarse];
  const grid = Buffer.alloc(columns * rows);
  for (let row = 0; row * coarse < cup.top + 12; row++) {
    const up = cup.top + 12 - row * coarse;
    const fade = Math.min(1, up / 60) * Math.max(0, 1 - up / 500) ** 1.25;
    for (let column = 0; column < columns; column++) {
      let light = 0;
      for (const thread of threads) {
        const turn = 2 * Math.PI * (up / thread.wave - thread.rises * phase + thread.turn);
        const drift = Math.min(1, up / 260);
        const middle = cup.x + thread.x * (1 - drift * 0.3) + thread.sway * drift * (Math.sin(turn) + 0.4 * Math.sin(2 * turn + 1));
        const wide = 15 + up * 0.085;
        const puff = 0.68 + 0.32 * Math.sin(2 * Math.PI * (up / 190 - 2 * phase + thread.turn * 3));
        light += thread.strength * puff * Math.exp(-(((column * coarse - middle) / wide) ** 2));
      }
      grid[row * columns + column] = Math.round(255 * (1 - Math.exp(-1.25 * light * fade)));
    }
  }
  const large = sharp(grid, { raw: { width: columns, height: rows, channels: 1 } }).resize(width, height, { kernel: "cubic", fit: "fill" });
  return await large.toColourspace("b-w").raw().toBuffer();
}

function whiten(frame: Buffer, strength: Buffer): void {
  for (let pixel = 0; pixel < strength.length; pixel++) {
    if (strength[pixel]! > 0) lighten(frame, pixel * 3, strength[pixel]! / 255);
  }
}

function lighten(frame: Buffer, at: number, light: number): void {
  frame[at] = Math.round(frame[at]! + (255 - frame[at]!) * light);
  frame[at + 1] = Math.round(frame[at + 1]! + (246 - frame[at + 1]!) * light);
  frame[at + 2] = Math.round(frame[at + 2]! + (232 - frame[at + 2]!) * light);
}
