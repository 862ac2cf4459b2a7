// Formats the messages of the catalogue (`i18n/en`), ICU MessageFormat with plurals.
import { IntlMessageFormat } from "intl-messageformat";
import type { ReactNode } from "react";
import { isPseudo, locale, pseudoText } from "./locale.ts";

type Values = Readonly<Record<string, string | number | boolean | Date | null | undefined>>;
type RichValues = Readonly<Record<string, ReactNode | ((parts: ReactNode[]) => ReactNode)>>;

const parsed = new Map<string, IntlMessageFormat>();

/** A function that formats the messages of one part of the catalogue by key. */
export interface Texts<M extends Readonly<Record<string, string>>> {
  (key: keyof M & string, values?: Values): string;
  /** The same for messages with elements, such as `Read the <link>manual</link>`. */
  rich: (key: keyof M & string, values: RichValues) => ReactNode;
}

/** @param messages a part of the catalogue, such as `i18n/en/common.ts` */
export function texts<const M extends Readonly<Record<string, string>>>(messages: M): Texts<M> {
  const text = (key: keyof M & string, values?: Values): string => {
    const formatted = String(formatOf(messages[key]!).format(values as Record<string, string>));
    return isPseudo ? pseudoText(formatted) : formatted;
  };
  const rich = (key: keyof M & string, values: RichValues): ReactNode => {
    const formatted = formatOf(messages[key]!).format<ReactNode>((isPseudo ? withPseudoParts(values) : values) as never) as ReactNode;
    return isPseudo ? pseudoParts(formatted) : formatted;
  };
  return Object.assign(text, { rich });
}

/** The same for a message with elements: its texts, also those inside of the elements. */
function pseudoParts(formatted: ReactNode): ReactNode {
  if (typeof formatted === "string") return formatted.trim() === "" ? formatted : pseudoText(formatted);
  return Array.isArray(formatted) ? formatted.map(pseudoParts) : formatted;
}

function withPseudoParts(values: RichValues): RichValues {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === "function" ? (parts: ReactNode[]) => value(parts.map(pseudoParts)) : value,
    ]),
  );
}

function formatOf(message: string): IntlMessageFormat {
  const known = parsed.get(message);
  if (known !== undefined) return known;
  const format = new IntlMessageFormat(message, locale);
  parsed.set(message, format);
  return format;
}
