// Examines SVG: accepts drawings, and rejects everything that runs, embeds a page or fetches a resource.
import { readFile, stat } from "node:fs/promises";
import { checkEdges } from "./image.ts";
import { badFile, errorSummary } from "../bad-file.ts";
import type { MediaInfo } from "../job-protocol.ts";
import { mediaInfo } from "../media-info.ts";
import { ProblemError } from "../../http/problem.ts";
import { maxEdge } from "./sizes.ts";
import { findXmlProblem, type XmlTag } from "./xml.ts";

const maxBytes = 10 * 1_024 * 1_024;
// Elements that run code or embed something that is not a drawing.
const forbiddenElements = new Set(
  (
    "script foreignobject handler listener iframe object embed audio video canvas html body link meta base form input " +
    "applet frame frameset portal import discard"
  ).split(" "),
);
const linkAttributes = new Set(["href", "src", "data", "action", "formaction", "poster", "background"]);
const animations = new Set(["set", "animate", "animatemotion", "animatetransform", "animatecolor"]);
const inertData = /^data:(?:image\/(?:png|jpe?g|gif|webp|avif)|font\/[\w.+-]+|application\/(?:x-)?font-[\w.+-]+)[;,]/i;

/** @throws ProblemError 422 that names the forbidden part. */
export async function examineSvg(path: string): Promise<MediaInfo> {
  if ((await stat(path)).size > maxBytes) throw badFile("The SVG is larger than 10 MB: export it as PNG or WebP");
  const text = textOf(await readFile(path));
  const problem = findXmlProblem(text, { checkTag, checkText });
  if (problem !== null) throw badFile(`The SVG ${problem}: export it as plain SVG without it, or as PNG`);
  return measure(path);
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw badFile("The SVG is not UTF-8: save it as UTF-8", cause);
  }
}

/** Checks the name of a tag, its attributes and its links. @returns the problem, or null. */
function checkTag({ name, attributes }: XmlTag): string | null {
  const element = localName(name);
  if (forbiddenElements.has(element)) return `contains <${name}>, which runs or embeds something`;
  for (const [fullName, value] of Object.entries(attributes)) {
    const attribute = localName(fullName);
    if (attribute.startsWith("on")) return `contains the event handler ${fullName}`;
    if (linkAttributes.has(attribute) && !isInside(value)) return `refers to something outside itself (${fullName} of <${name}>)`;
    if (animations.has(element) && attribute === "attributename" && /href|^on/.test(localName(value))) return `animates ${value}`;
    const problem = checkStyle(value, fullName);
    if (problem !== null) return problem;
  }
  return null;
}

function checkText(text: string, element: string): string | null {
  return localName(element) === "style" ? checkStyle(text, "<style>") : null;
}

/**
 * Checks that a style refers only to parts of the drawing. Comments are not removed first: a string may contain text that looks like a
 * comment. Escapes could hide a function or an at-rule, so they are forbidden next to one.
 */
function checkStyle(css: string, where: string): string | null {
  if (/@import/i.test(css)) return `imports a style sheet (${where})`;
  if (css.includes("\\") && /[(@]/.test(css)) return `contains escapes in its style (${where})`;
  if (/javascript:|expression\s*\(|-moz-binding|behavior\s*:/i.test(css)) return `contains script in its style (${where})`;
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

/** Measures the drawing, and checks that it can be drawn. */
async function measure(path: string): Promise<MediaInfo> {
  const { default: sharp } = await import("sharp");
  try {
    const { width, height } = await sharp(path, { limitInputPixels: maxEdge ** 2 }).metadata();
    checkEdges(width, height);
    // A small drawing is enough. The limits of the media process bound the time.
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
