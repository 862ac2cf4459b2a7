// Reads the packages of the shipped fonts: the rules of style sheets for their files, and the characters that they draw.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { charactersIn, rangeOf, shownBy } from "./ranges.ts";
import { charactersOf, withoutTable } from "./woff2.ts";

/** One package, as a family of the page. */
export interface ShippedFont {
  package: string;
  /** The parts that are shipped: `all`, those that are numbered (Chinese, Japanese, Korean), or the named ones. */
  parts: "all" | "numbered" | readonly string[];
  /** In place of the package's: the characters that it draws. `numbered`: those of the numbered parts. */
  range?: string;
  /** In place of the package's: it has one weight, which no browser may thicken. */
  weight?: string;
  /** A table of the font that is left out (vite.woff2.ts). */
  without?: string;
  /** Its letters join by a picture for the joiner. */
  hasJoiner?: true;
}

/** One file of a package. */
interface Face {
  style: string;
  weight: string;
  path: string;
  characters: readonly number[];
}

/** The faces of the shipped fonts. */
export class Faces {
  readonly #root: string;
  readonly #known = new Map<ShippedFont, readonly Face[]>();

  /** @param root of the repository; its packages are installed. */
  constructor(root: string) {
    this.#root = root;
  }

  /** The family's name, such as `Noto Sans Thai`. */
  familyOf(font: ShippedFont): string {
    return (JSON.parse(readFileSync(join(this.#folderOf(font), "metadata.json"), "utf8")) as { family: string }).family;
  }

  /** The rules for the weights and styles that a font has. @param folder of the style sheet. */
  rulesOf(font: ShippedFont, folder: string): string[] {
    const family = this.familyOf(font);
    return this.#facesOf(font).map(({ style, weight, path, characters }) => {
      // An installed font of the same name helps only if the file is missing.
      const src = `url("${relative(folder, path)}") format("woff2"), local("${family}")`;
      return `@font-face { font-family: "${family}"; font-style: ${style}; font-weight: ${weight}; font-display: block; src: ${src}; unicode-range: ${rangeOf(characters)}; }`;
    });
  }

  /** The characters that a font draws in all of its styles. */
  charactersOf(font: ShippedFont): number[] {
    const faces = this.#facesOf(font);
    const inStyle = (wanted: string): Set<number> =>
      new Set(faces.flatMap(({ style, characters }) => (style === wanted ? characters : [])));
    const [first, ...others] = [...new Set(faces.map(({ style }) => style))].map(inStyle);
    return [...first!].filter((character) => others.every((style) => style.has(character)));
  }

  #facesOf(font: ShippedFont): readonly Face[] {
    const faces = this.#known.get(font) ?? readFaces(font, this.#folderOf(font), join(this.#root, "node_modules/.cache/signage-fonts"));
    this.#known.set(font, faces);
    return faces;
  }

  #folderOf({ package: name }: ShippedFont): string {
    return join(this.#root, "node_modules", name);
  }
}

function readFaces(font: ShippedFont, folder: string, cache: string): Face[] {
  const isVariable = font.package.startsWith("@fontsource-variable/");
  const sheets = (isVariable ? ["wght.css", "wght-italic.css"] : ["400.css", "700.css", "emoji-400.css"]).flatMap((name) =>
    readIfThere(join(folder, name)),
  );
  const id = font.package.slice(font.package.indexOf("/") + 1);
  const rules = sheets.flatMap((sheet) => [...sheet.matchAll(/\/\* (\S+) \*\/\s*@font-face \{([^}]*)\}/g)]);
  const shipped = rules.filter(([, name]) => isShipped(font, name!.slice(id.length + 1).replace(/-[^-]+-(?:normal|italic)$/, "")));
  if (shipped.length === 0) throw new Error(`${font.package} has none of the parts ${String(font.parts)}`);
  return shipped.map(([, name, rule]) => {
    const value = (property: string): string | undefined => new RegExp(`${property}: ([^;]+);`).exec(rule!)?.[1];
    const file = /url\(\.\/(files\/[^)]+\.woff2)\)/.exec(rule!)?.[1];
    if (file === undefined) throw new Error(`${font.package}: ${name!} has no woff2 file`);
    const range = font.range === "numbered" ? numberedRange(folder) : (font.range ?? value("unicode-range")!);
    const path = shippedFile(font, join(folder, file), cache);
    return {
      style: value("font-style")!,
      weight: font.weight ?? value("font-weight")!,
      path,
      characters: shownBy(charactersOf(readFileSync(path)), charactersIn(range), font.hasJoiner === true),
    };
  });
}

/** The file of the package, or a copy without the table that is left out. Making one takes seconds, so it is kept. */
function shippedFile({ without }: ShippedFont, file: string, cache: string): string {
  if (without === undefined) return file;
  const font = readFileSync(file);
  const hash = createHash("sha256").update(font).update(without).digest("hex").slice(0, 16);
  const folder = join(cache, hash);
  const copy = join(folder, file.slice(file.lastIndexOf("/") + 1));
  if (existsSync(copy)) return copy;
  mkdirSync(folder, { recursive: true });
  // Two builds may write it at once.
  writeFileSync(`${copy}.${process.pid}`, withoutTable(font, without));
  renameSync(`${copy}.${process.pid}`, copy);
  return copy;
}

function numberedRange(folder: string): string {
  const ranges = JSON.parse(readFileSync(join(folder, "unicode.json"), "utf8")) as Record<string, string>;
  return [...new Set(Object.entries(ranges).flatMap(([part, range]) => (part.startsWith("[") ? range.split(",") : [])))].join(",");
}

function isShipped({ parts }: ShippedFont, part: string): boolean {
  if (parts === "all") return true;
  return parts === "numbered" ? part.startsWith("[") : parts.includes(part);
}

function readIfThere(path: string): string[] {
  try {
    return [readFileSync(path, "utf8")];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
