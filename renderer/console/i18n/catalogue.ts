// The messages of the console by part and key.
import type { MessageArguments } from "./arguments.ts";
import en from "./en.json" with { type: "json" };

/** The English messages, all of them; the build gives each page only the parts that it uses (`config/vite.console.ts`). */
export type Catalogue = typeof en;
export type Part = keyof Catalogue;
/** The messages of another language, of which some may be missing. */
export type Translation = { readonly [P in Part]?: Readonly<Record<string, string>> };

/** The keys of a part whose messages take no arguments but `Given`. */
export type MessageKey<P extends Part, Given = unknown> = {
  [K in keyof Catalogue[P] & string]: Given extends ArgumentsOf<[P], K, string, never> ? K : never;
}[keyof Catalogue[P] & string];

/** The arguments of a message; of the last of the parts that have the key. */
export type ArgumentsOf<Parts extends readonly Part[], K, Text, Rich> = Parts extends readonly [
  ...infer Before extends Part[],
  infer P extends Part,
]
  ? K extends keyof MessageArguments<Text, Rich>[P]
    ? MessageArguments<Text, Rich>[P][K]
    : K extends keyof Catalogue[P]
      ? unknown
      : ArgumentsOf<Before, K, Text, Rich>
  : never;

const english: Readonly<Record<Part, Readonly<Record<string, string>>>> = en;

/** A message in the language of `translation`, or else in English. @param parts the last of those that have the key counts */
export function messageOf(parts: readonly Part[], key: string, translation: Translation): string {
  const part = parts.findLast((each) => key in english[each])!;
  return translation[part]?.[key] ?? english[part][key]!;
}

/** The keys of those messages that take no arguments. */
export function plainKeys(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => Object.entries(english[part]).flatMap(([key, message]) => (message.includes("{") ? [] : key)));
}
