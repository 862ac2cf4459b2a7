// Formats the messages of the catalogue (`en.json`, ICU MessageFormat) by key; the compiler knows the arguments of each.
import { IntlMessageFormat } from "intl-messageformat";
import type { ReactNode } from "react";
import { messageOf, plainKeys, type ArgumentsOf, type Catalogue, type MessageKey, type Part, type Translation } from "./catalogue.ts";
import { isPseudo, loadTranslation, locale, pseudoText } from "./locale.ts";

type Markup = (parts: ReactNode[]) => ReactNode;

/** The arguments of all messages that `K` may name. */
type AllArguments<Parts extends readonly Part[], K, Text, Rich> = (
  K extends string ? (values: ArgumentsOf<Parts, K, Text, Rich>) => void : never
) extends (values: infer V) => void
  ? V
  : never;
type PlainKeys<Parts extends readonly Part[]> = { [P in Part]: MessageKey<P> }[Parts[number]];
type Keys<Parts extends readonly Part[]> = { [P in Part]: keyof Catalogue[P] & string }[Parts[number]];

/** A function that formats the messages of some parts of the catalogue by key. */
export interface Texts<Parts extends readonly Part[]> {
  <K extends Keys<Parts>>(
    key: K,
    ...values: unknown extends AllArguments<Parts, K, string, never> ? [] : [AllArguments<Parts, K, string | number | null, never>]
  ): string;
  /** The same for messages with elements, such as `Read the <link>manual</link>`. */
  rich: <K extends Keys<Parts>>(key: K, values: AllArguments<Parts, K, ReactNode, Markup>) => ReactNode;
  /** The keys of the messages that take no arguments. */
  keys: () => readonly PlainKeys<Parts>[];
  /** Tells whether a word of the service is one of them. */
  has: (word: string) => word is PlainKeys<Parts>;
}

let translation: Translation = {};
const formats = new Map<string, IntlMessageFormat>();

/** Loads the messages of the reader's language. Without them the console speaks English. */
export async function loadMessages(): Promise<void> {
  translation = (await loadTranslation?.().catch(() => undefined)) ?? {};
}

/** @param parts of the catalogue, such as `common`; of two messages with the same key, that of the later part counts */
export function texts<const Parts extends readonly Part[]>(...parts: Parts): Texts<Parts> {
  const text = (key: string, values?: Readonly<Record<string, string | number | null>>): string => {
    const result = String(formatOf(parts, key).format(values));
    return isPseudo ? pseudoText(result) : result;
  };
  const rich = (key: string, values: Readonly<Record<string, ReactNode | Markup>>): ReactNode => {
    const nodes = formatOf(parts, key).format<ReactNode>((isPseudo ? withPseudoParts(values) : values) as never) as ReactNode;
    return isPseudo ? pseudoParts(nodes) : nodes;
  };
  const keys = () => plainKeys(parts) as PlainKeys<Parts>[];
  const has = (word: string): word is PlainKeys<Parts> => plainKeys(parts).includes(word);
  return Object.assign(text, { rich, keys, has }) as Texts<Parts>;
}

/** The same for a message with elements: its texts, also those inside of the elements. */
function pseudoParts(node: ReactNode): ReactNode {
  if (typeof node === "string") return node.trim() === "" ? node : pseudoText(node);
  return Array.isArray(node) ? node.map(pseudoParts) : node;
}

function withPseudoParts(values: Readonly<Record<string, ReactNode | Markup>>): Readonly<Record<string, ReactNode | Markup>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === "function" ? (parts: ReactNode[]) => value(parts.map(pseudoParts)) : value,
    ]),
  );
}

function formatOf(parts: readonly Part[], key: string): IntlMessageFormat {
  const message = messageOf(parts, key, translation);
  let format = formats.get(message);
  if (format === undefined) formats.set(message, (format = new IntlMessageFormat(message, locale)));
  return format;
}
