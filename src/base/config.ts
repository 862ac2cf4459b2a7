// Flags of a program, read once: every fault in one clear line.
import { parseArgs } from "node:util";
import { Fault, reasonOf } from "./fault.ts";

/** The flags of a program by name: one with a value, or a switch. */
type Options = Record<string, { readonly type: "string" | "boolean" }>;
type Values<T extends Options> = { [K in keyof T]?: T[K]["type"] extends "boolean" ? boolean : string };

/**
 * The values of the command line, by name, without the schema's judgement of them.
 * @throws Fault `bad-config` for a flag that does not exist or lacks its value; the message names it and the usage.
 */
export function readFlags<T extends Options>(argv: readonly string[], options: T, usage: string): Values<T> {
  try {
    // What parseArgs says of its result is this, put less plainly.
    return parseArgs({ args: [...argv], options, strict: true, allowPositionals: false }).values as Values<T>;
  } catch (error) {
    // parseArgs adds advice on further lines; the first sentence says what is wrong.
    throw new Fault("bad-config", `${reasonOf(error).split(/\.\s|\n/)[0]}. Usage: ${usage}`);
  }
}

/** What a zod schema's `safeParse` answers, seen from here: base knows no zod. */
interface Parsed<T> {
  success: boolean;
  data?: T;
  error?: { issues: readonly { path: readonly PropertyKey[]; message: string }[] };
}

/**
 * The checked flags.
 * @throws Fault `bad-config` naming every flag that is wrong, in one line.
 */
export function checkFlags<T>(parsed: Parsed<T>, usage: string): T {
  if (parsed.success) return parsed.data!;
  const faults = parsed.error!.issues.map((issue) => `--${issue.path.map(String).join(".")}: ${issue.message}`);
  throw new Fault("bad-config", `${faults.join("; ")}. Usage: ${usage}`);
}
