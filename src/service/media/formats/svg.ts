// Examines SVG: only what draws comes in. Anything that runs, embeds a page or fetches from elsewhere is refused by name.
import { readFile, stat } from "node:fs/promises";
import { checkEdges } from "./image.ts";
import { badFile, errorSummary, mediaInfo, type Media } from "../media.ts";
import { ProblemError } from "../../http/problem.ts";
import { maxEdge } from "./sizes.ts";
import { scanXml, type XmlTag } from "./xml.ts";

const maxBytes = 10 * 1_024 * 1_024;
// What runs, or brings in what is not a drawing.
const refusedElements = new Set(
  (
    "script foreignobject handler listener iframe object embed audio video canvas html body link meta base form input " +
    "applet frame frameset portal import discard"
  ).split(" "),
);
const linkAttributes = new Set(["href", "src", "data", "action", "formaction", "poster", "background"]);
const animations = new Set(["set", "animate", "animatemotion", "animatetransform", "animatecolor"]);
const inertData = /^data:(?:image\/(?:png|jpe?g|gif|webp|avif)|font\/[\w.+-]+|application\/(?:x-)?font-[\w.+-]+)[;,]/i;

/** @throws Refusal 422 naming what in it is not taken. */
export async function examineSvg(path: string): Promise<Media> {
  if ((await stat(path)).size > maxBytes) throw badFile("The SVG is larger than 10 MB: export it as PNG or WebP");
  const text = textOf(await readFile(path));
  const outcome = scanXml(text, { tag: refusalOfTag, text: refusalOfText });
  if (outcome !== null) throw badFile(`The SVG ${outcome}: export it as plain SVG without it, or as PNG`);
  return measure(path);
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw badFile("The SVG is not UTF-8: save it as UTF-8", cause);
  }
}

/** What is wrong with a tag, by its name, its attributes and where they point; null when it only draws. */
function refusalOfTag({ name, attributes }: XmlTag): string | null {
  const local = localName(name);
  if (refusedElements.has(local)) return `holds <${name}>, which runs or embeds something`;
  for (const [attribute, value] of attributes) {
    const what = localName(attribute);
    if (what.startsWith("on")) return `holds the event handler ${attribute}`;
    if (linkAttributes.has(what) && !isInside(value)) return `refers to something outside itself (${attribute} of <${name}>)`;
    if (animations.has(local) && what === "attributename" && /href|^on/.test(localName(value))) return `animates ${value}`;
    const style = refusalOfStyle(value, attribute);
    if (style !== null) return style;
  }
  return null;
}

function refusalOfText(text: string, inside: string): string | null {
  return localName(inside) === "style" ? refusalOfStyle(text, "<style>") : null;
}

/**
 * Style may point only into the drawing. It is judged as it stands, comments and all: what looks like a comment may be
 * inside a string. Escapes could hide where it points, so they are not taken next to a function.
 */
function refusalOfStyle(css: string, where: string): string | null {
  if (/@import/i.test(css)) return `imports a style sheet (${where})`;
  if (css.includes("\\") && /[(@]/.test(css)) return `holds escapes in its style (${where})`;
  if (/javascript:|expression\s*\(|-moz-binding|behavior\s*:/i.test(css)) return `holds script in its style (${where})`;
  if (/image-set\s*\(|\bsrc\s*\(/i.test(css)) return `refers to something outside itself (${where})`;
  for (const [, target] of css.matchAll(/url\s*\(\s*["']?([^"')]*)/gi)) {
    if (!isInside(target!)) return `refers to something outside itself (${where})`;
  }
  return null;
}

function isInside(target: string): boolean {
  const plain = target.trim();
  return plain === "" || plain.startsWith("#") || inertData.test(plain);
}

function localName(name: string): string {
  return name.slice(name.lastIndexOf(":") + 1).toLowerCase();
}

/** Its size, and proof that it can be drawn. */
async function measure(path: string): Promise<Media> {
  const { default: sharp } = await import("sharp");
  try {
    const { width, height } = await sharp(path, { limitInputPixels: maxEdge ** 2 }).metadata();
    checkEdges(width, height);
    // Drawn small: that it can be drawn matters. The time it takes is the process's to bound.
    await sharp(path, { limitInputPixels: maxEdge ** 2 })
      .resize(64, 64, { fit: "inside" })
      .raw()
      .toBuffer();
    return mediaInfo("image", "image/svg+xml", { width, height });
  } catch (cause) {
    if (cause instanceof ProblemError) throw cause;
    throw badFile(`The SVG cannot be drawn (${errorSummary(cause)}): export it again, or as PNG`, cause);
  }
}
