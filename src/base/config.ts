// Command-line flags: one definition from which they are parsed, checked and listed by --help.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { Fault, reasonOf } from "./fault.ts";

/** One flag. A flag without `value` is a switch. */
export interface Flag {
  /**
   * Placeholder for its value in the help text, such as `PORT`. One that names a FILE, DIR or FOLDER says that the value is a path, and
   * `FILE[,FILE]` that it is a list of them: {@link readFlags} makes them absolute.
   */
  readonly value?: string;
  /** Describes the flag in one line. */
  readonly help: string;
}

/** A program as its `--help` shows it. */
export interface Usage<F extends Readonly<Record<string, Flag>> = Readonly<Record<string, Flag>>> {
  /** The command that starts it, such as `npm run service --`. */
  readonly command: string;
  /** Describes the program in one sentence. */
  readonly summary: string;
  readonly flags: F;
  /** A placeholder for its positional arguments, such as `FILE|URL|TEXT`; absent if it takes none. */
  readonly positionals?: string;
  /** Further lines of help: examples, exit codes. */
  readonly notes?: readonly string[];
}

type Values<F extends Readonly<Record<string, Flag>>> = {
  [K in keyof F]?: F[K] extends { readonly value: string } ? string : boolean;
} & {
  /** The positional arguments. */
  positionals: readonly string[];
};

// A line of help fits a terminal of 100 columns.
const lineLength = 100;

/** Defines a program's usage; keeps the names of its flags as a type. */
export function defineUsage<const F extends Readonly<Record<string, Flag>>>(usage: Usage<F>): Usage<F> {
  return usage;
}

/**
 * The command line's values by flag name, not yet validated. Paths are absolute: relative ones begin at the working directory of the
 * start, whatever becomes of it later, and in whichever process they are used.
 * @throws Fault `help-asked` with the help as its message, for `--help` or `-h`; `bad-config` for an unknown flag or a missing
 * value.
 */
export function readFlags<F extends Readonly<Record<string, Flag>>>(argv: readonly string[], usage: Usage<F>): Values<F> {
  if (argv.some((argument) => argument === "--help" || argument === "-h")) throw new Fault("help-asked", formatHelp(usage));
  const options = Object.fromEntries(
    Object.entries<Flag>(usage.flags).map(([name, { value }]) => [name, { type: value === undefined ? "boolean" : "string" } as const]),
  );
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options,
      strict: true,
      allowPositionals: usage.positionals !== undefined,
    });
    const flags = Object.entries(values).map(([name, value]) => [name, absolute(value, usage.flags[name]?.value)]);
    const arguments_ = positionals.map((argument) => absolute(argument, usage.positionals));
    // parseArgs' own result type says the same, less precisely.
    return { ...Object.fromEntries(flags), positionals: arguments_ } as unknown as Values<F>;
  } catch (error) {
    // parseArgs adds advice on further lines; the first sentence names the fault.
    throw badFlags(reasonOf(error).split(/\.\s|\n/)[0]!, usage);
  }
}

const namesPath = /(?:\b|_)(?:FILE|DIR|FOLDER)\b/;
const webAddress = /^[a-z][a-z0-9+.-]*:\/\//i;

/** The value of a flag or an argument with this placeholder. An empty value, and one that may be a text, stay as they are. */
function absolute<Value>(value: Value, placeholder = ""): Value | string {
  if (typeof value !== "string" || !namesPath.test(placeholder) || placeholder.includes("TEXT")) return value;
  const paths = placeholder.includes(",") ? value.split(",") : [value];
  const mayBeAddress = placeholder.includes("URL");
  return paths.map((path) => (path === "" || (mayBeAddress && webAddress.test(path)) ? path : resolve(path))).join(",");
}

/** The result of a zod schema's `safeParse`, declared here because base does not import zod. */
interface ParseResult<T> {
  success: boolean;
  data?: T;
  error?: { issues: readonly { path: readonly PropertyKey[]; message: string }[] };
}

/**
 * The validated flags.
 * @throws Fault `bad-config` naming every invalid flag, in one line.
 */
export function checkFlags<T>(result: ParseResult<T>, usage: Usage): T {
  if (result.success) return result.data!;
  const faults = result.error!.issues.map((issue) => `--${issue.path.map(String).join(".")}: ${issue.message}`);
  throw badFlags(faults.join("; "), usage);
}

/** The error for invalid flags: one line that also says how to list all flags. */
export function badFlags(problem: string, { command }: Usage, options?: { cause: unknown }): Fault {
  return new Fault("bad-config", `${problem}. All flags: ${command} --help`, options);
}

/** The text that `--help` prints. */
function formatHelp({ command, summary, flags, positionals, notes = [] }: Usage): string {
  const heads = Object.entries(flags).map(
    ([name, { value, help }]) => [`  --${name}${value === undefined ? "" : ` ${value}`}`, help] as const,
  );
  const rows = [...heads, ["  --help", "Show this help"] as const];
  const column = Math.max(...rows.map(([head]) => head.length)) + 2;
  const lines = rows.flatMap(([head, help]) =>
    wrap(help, lineLength - column).map((part, index) => (index === 0 ? head : "").padEnd(column) + part),
  );
  return [
    summary,
    "",
    `  ${command} ${positionals === undefined ? "" : `${positionals} `}[flags]`,
    "",
    ...lines,
    ...(notes.length === 0 ? [] : ["", ...notes]),
  ].join("\n");
}

function wrap(text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!;
    if (line === "") lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
