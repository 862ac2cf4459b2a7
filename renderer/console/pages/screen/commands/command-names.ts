// The names of commands for people.
import { texts } from "../../../i18n/texts.ts";
import type { CommandRequest } from "./use-command.ts";

const text = texts("screenCommands");

type MessagePart<T extends string> = T extends `${infer Area}.${infer Action}` ? `${Area}_${Action}` : T;
// The compiler checks that every command has both messages.
text satisfies (key: `${"type" | "about"}_${MessagePart<CommandRequest["type"]>}`) => string;

/** The name of a command; its type if this console does not know it. */
export function commandName(type: string): string {
  const key = `type_${type.replaceAll(".", "_")}` as const;
  return text.has(key) ? text(key) : type;
}

/** The effect of a command, in a few words. */
export function commandAbout(type: string): string {
  const key = `about_${type.replaceAll(".", "_")}` as const;
  return text.has(key) ? text(key) : "";
}
