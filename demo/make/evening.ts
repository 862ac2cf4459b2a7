// Main, fourth picture: a reading evening, with a shelf of books under a lamp and a cat asleep on them.
import { blur, glow, palette, picture, radialGradient, round, verticalGradient, textLines, type Picture } from "./draw.ts";
import { seededRandom } from "../../test/support/random.ts";

const width = 1440;
const height = 930;
const shelfAt = 800;
const lamp = { x: 1060, y: 190 };

export function evening(): Picture {
  return picture(
    "evening",
    { width, height },
    `<defs>
      ${radialGradient("wall", "#43305f", [0.5, "#2c2049"], [1, "#1a1331"])}
      ${verticalGradient("cone", "#ffdf9e", "#ffcf86")}
      ${glow("pool", "#ffd28a", 0.75)}
      ${verticalGradient("shade", palette.coral, palette.ember)}
      ${verticalGradient("wood", "#8a4a34", "#5a2a2a")}
      <linearGradient id="fade" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#fff" stop-opacity="0.5"/><stop offset="1" stop-color="#fff" stop-opacity="0.06"/></linearGradient>
      <mask id="falloff"><rect width="${width}" height="${height}" fill="url(#fade)"/></mask>
      ${blur("soft", 10)}
    </defs>
    <rect width="${width}" height="${height}" fill="url(#wall)"/>
    <g mask="url(#falloff)"><path d="M${lamp.x - 120} ${lamp.y + 54}L${lamp.x - 430} ${shelfAt}H${lamp.x + 430}L${lamp.x + 120} ${lamp.y + 54}Z" fill="url(#cone)" filter="url(#soft)"/></g>
    <ellipse cx="${lamp.x}" cy="${shelfAt - 40}" rx="560" ry="330" fill="url(#pool)" opacity="0.75"/>
    <circle cx="${lamp.x}" cy="${lamp.y + 60}" r="210" fill="url(#pool)"/>
    <path d="M${lamp.x} 0V${lamp.y - 70}" stroke="#120c22" stroke-width="7"/>
    <circle cx="${lamp.x}" cy="${lamp.y + 58}" r="38" fill="#fff4d2"/>
    <path d="M${lamp.x - 150} ${lamp.y + 60}C${lamp.x - 130} ${lamp.y - 60} ${lamp.x - 60} ${lamp.y - 76} ${lamp.x} ${lamp.y - 76}S${lamp.x + 130} ${lamp.y - 60} ${lamp.x + 150} ${lamp.y + 60}Z" fill="url(#shade)"/>
    <path d="M${lamp.x - 104} ${lamp.y + 34}C${lamp.x - 88} ${lamp.y - 30} ${lamp.x - 50} ${lamp.y - 50} ${lamp.x - 22} ${lamp.y - 54}" fill="none" stroke="#ffb38a" stroke-width="9" stroke-linecap="round" opacity="0.7"/>
    ${books()}
    <rect y="${shelfAt}" width="${width}" height="34" fill="url(#wood)"/><rect y="${shelfAt}" width="${width}" height="5" fill="#c9825a"/>
    <rect y="${shelfAt + 34}" width="${width}" height="${height - shelfAt - 34}" fill="#150f28"/>
    ${textLines("EVERY THURSDAY, 7 PM", { x: 92, y: 146, size: 40, fill: palette.apricot, face: "label", spacing: 7 })}
    ${textLines(["Stories by", "lamplight"], { x: 86, y: 276, size: 138, fill: palette.cream, spacing: -2, leading: 0.98 })}
    ${textLines("Free entry. The soup is on us.", { x: 92, y: 504, size: 46, fill: palette.butter, face: "body" })}
    ${textLines("Reserve a chair at the counter", { x: width / 2, y: 897, size: 42, fill: palette.apricot, face: "body", anchor: "middle", spacing: 1 })}`,
  );
}

const covers = ["#c8432f", "#f9b268", "#1f6a66", "#fff3e0", "#7a2748", "#ee7548", "#8fb9a0", "#4a3a7a", "#d9a05a", "#2f4f7a"] as const;

/** Spines from left to right, a lying pile for the cat under the lamp, a plant at the end. */
function books(): string {
  const next = seededRandom(41);
  let drawn = "";
  let x = 92;
  let last = -1;
  while (x < 760) {
    const thick = 36 + Math.floor(next() * 34);
    const tall = 150 + Math.floor(next() * 84);
    let cover = Math.floor(next() * covers.length);
    if (cover === last) cover = (cover + 3) % covers.length;
    last = cover;
    drawn += spine(x, thick, tall, covers[cover]!, next() < 0.5);
    x += thick + 3;
  }
  drawn += `<g transform="rotate(-12 ${x + 10} ${shelfAt})">${spine(x + 10, 46, 214, palette.coral, true)}</g>`;
  const pile = [
    [890, 372, 50, "#7a2748"],
    [912, 330, 44, "#f9b268"],
    [872, 388, 48, "#1f6a66"],
  ] as const;
  let top = shelfAt;
  for (const [left, long, thick, cover] of pile) {
    top -= thick;
    drawn += `<rect x="${left}" y="${top}" width="${long}" height="${thick - 2}" rx="6" fill="${cover}"/>
      <rect x="${left + long - 16}" y="${top + 7}" width="16" height="${thick - 16}" fill="#fff3e0"/>
      <rect x="${left + 36}" y="${top}" width="9" height="${thick - 2}" fill="#fff" opacity="0.35"/>`;
  }
  return drawn + cat(1060, top) + plant(1346);
}

function spine(x: number, thick: number, tall: number, cover: string, banded: boolean): string {
  const y = shelfAt - tall;
  const bands = banded
    ? `<rect x="${x}" y="${y + 22}" width="${thick}" height="7" fill="#1f1530" opacity="0.35"/><rect x="${x}" y="${y + tall - 34}" width="${thick}" height="7" fill="#1f1530" opacity="0.35"/>`
    : `<rect x="${x + thick * 0.3}" y="${y + 30}" width="${round(thick * 0.4)}" height="${round(tall * 0.42)}" rx="4" fill="#1f1530" opacity="0.28"/>`;
  return `<rect x="${x}" y="${y}" width="${thick}" height="${tall}" rx="4" fill="${cover}"/>${bands}<rect x="${x + 4}" y="${y + 3}" width="4" height="${tall - 6}" fill="#fff" opacity="0.25"/>`;
}

/** A cat curled up on (x, y): body, haunch, head on its paws, the tail around it. */
function cat(x: number, y: number): string {
  const fur = "#231733";
  return `<g transform="translate(${x} ${y})">
    <path d="M-150 0C-176 -92 -84 -148 6 -140C104 -134 168 -78 152 0Z" fill="${fur}"/>
    <path d="M40 0C28 -64 78 -104 124 -78C160 -58 166 -14 150 0Z" fill="#2d1f42"/>
    <path d="M150 -8C196 2 190 34 150 32C110 30 60 16 20 18" fill="none" stroke="${fur}" stroke-width="26" stroke-linecap="round"/>
    <ellipse cx="-96" cy="-54" rx="68" ry="56" fill="#2d1f42"/>
    <path d="M-152 -74L-160 -134L-112 -104ZM-44 -78L-30 -136L-82 -106Z" fill="#2d1f42"/>
    <path d="M-147 -88L-151 -118L-127 -103ZM-51 -90L-42 -118L-68 -104Z" fill="${palette.coral}"/>
    <path d="M-136 -54q14 13 28 0M-84 -54q14 13 28 0" fill="none" stroke="${palette.butter}" stroke-width="5" stroke-linecap="round"/>
    <path d="M-103 -38h14l-7 8Z" fill="${palette.coral}"/>
    <path d="M-152 0q6 -30 48 -26q46 2 46 26Z" fill="${fur}"/>
    <path d="M-20 -139C60 -146 120 -110 143 -62" fill="none" stroke="#ffcf86" stroke-width="5" stroke-linecap="round" opacity="0.75"/>
  </g>`;
}

function plant(x: number): string {
  const leaves = [-50, -31, -12, 8, 24, 40]
    .map(
      (turn, at) =>
        `<path transform="translate(${x} ${shelfAt - 92}) rotate(${turn})" d="M0 0C-38 -60 -30 -130 0 -${170 + (at % 2) * 34}C30 -130 38 -60 0 0Z" fill="${at % 2 ? "#2f7a68" : "#225c55"}"/>`,
    )
    .join("");
  return `${leaves}<path d="M${x - 58} ${shelfAt - 104}H${x + 58}L${x + 44} ${shelfAt}H${x - 44}Z" fill="${palette.cream}"/><rect x="${x - 64}" y="${shelfAt - 116}" width="128" height="26" rx="6" fill="#ffe2b8"/>`;
}
