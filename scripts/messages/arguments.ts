// Reads the arguments of the console's messages, as types.
import { parse, TYPE, type MessageFormatElement } from "@formatjs/icu-messageformat-parser";

/** ICU messages by part and key. */
export type Catalogue = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The types of a message's arguments by name. @throws SyntaxError if it is not an ICU message */
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

/** The module with the arguments of each message that takes any. */
export function argumentsModule(catalogue: Catalogue): string {
  const parts = Object.entries(catalogue).map(([part, messages]) => {
    const lines = Object.entries(messages).flatMap(([key, message]) => {
      const values = [...argumentsOf(message)].map(([name, type]) => `${name}: ${type}`);
      return values.length === 0 ? [] : `    ${key}: { ${values.join("; ")} };\n`;
    });
    return `  ${part}: {${lines.length === 0 ? "" : `\n${lines.join("")}  `}};\n`;
  });
  return `// \`node scripts/messages.ts\` wrote this from en.json: the arguments of each message that takes any.
export interface MessageArguments<Text, Rich> {
${parts.join("")}}
`;
}

/** The faults of a translation: messages that English does not have, that do not parse, or with arguments of their own. */
export function faultsOf(translation: Catalogue, english: Catalogue): string[] {
  return Object.entries(translation).flatMap(([part, messages]) =>
    Object.entries(messages).flatMap(([key, message]) => {
      const original = english[part]?.[key];
      if (original === undefined) return `${part}.${key} is no message of the console`;
      try {
        const known = argumentsOf(original);
        return [...argumentsOf(message).keys()].filter((name) => !known.has(name)).map((name) => `${part}.${key} has no argument ${name}`);
      } catch (error) {
        return `${part}.${key} is no ICU message: ${(error as Error).message}`;
      }
    }),
  );
}
