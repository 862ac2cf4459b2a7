// `node scripts/messages.ts` writes the types of the arguments that the console's messages take; with --check it reports old ones.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, TYPE, type MessageFormatElement } from "@formatjs/icu-messageformat-parser";
import { rootFolder } from "../src/main/folders.ts";

type Catalogue = Readonly<Record<string, Readonly<Record<string, string>>>>;

const folder = join(rootFolder, "renderer/console/i18n");
const typesFile = join(folder, "arguments.ts");

/** The arguments of a message by name, with their types. @throws SyntaxError if it is not an ICU message. */
export function argumentsOf(message: string): Map<string, string> {
  const types = new Map<string, string>();
  const collect = (elements: readonly MessageFormatElement[]): void => {
    for (const element of elements) {
      if (element.type === TYPE.literal || element.type === TYPE.pound) continue;
      types.set(element.value, typeOf(element, types.get(element.value)));
      if (element.type === TYPE.tag) collect(element.children);
      if (element.type === TYPE.plural || element.type === TYPE.select)
        for (const { value } of Object.values(element.options)) collect(value);
    }
  };
  collect(parse(message));
  return types;
}

/** A plain place takes any text, so another place of the same argument decides. */
function typeOf({ type }: MessageFormatElement, elsewhere = "Text"): string {
  if (type === TYPE.argument) return elsewhere;
  if (type === TYPE.tag) return "Rich";
  if (type === TYPE.select) return "string";
  return type === TYPE.date || type === TYPE.time ? "Date" : "number";
}

/** The module of the types of a catalogue. */
export function typesText(catalogue: Catalogue): string {
  const parts = Object.entries(catalogue).map(([part, messages]) => {
    const lines = Object.entries(messages).flatMap(([key, message]) => {
      const values = [...argumentsOf(message)].map(([name, type]) => `${name}: ${type}`);
      return values.length === 0 ? [] : `    ${key}: { ${values.join("; ")} };\n`;
    });
    return `  ${part}: {${lines.length === 0 ? "" : `\n${lines.join("")}  `}};`;
  });
  return [
    "// `node scripts/messages.ts` wrote this from en.json: the arguments of each message that takes any.",
    "export interface MessageArguments<Text, Rich> {",
    ...parts,
    "}",
    "",
  ].join("\n");
}

/** The English catalogue, which has each message. */
export function readCatalogue(): Catalogue {
  return JSON.parse(readFileSync(join(folder, "en.json"), "utf8")) as Catalogue;
}

if (import.meta.main) {
  const types = typesText(readCatalogue());
  if (!process.argv.includes("--check")) writeFileSync(typesFile, types);
  else if (readFileSync(typesFile, "utf8") !== types) {
    process.stderr.write("The console's messages have changed: run node scripts/messages.ts\n");
    process.exitCode = 1;
  }
}
