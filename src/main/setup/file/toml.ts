// Reads the text of a signage.toml, strictly: an error names the line, the setting and its valid values.
import { parse, TomlError } from "smol-toml";
import { closestName } from "../../../base/closest-name.ts";
import { Fault } from "../../../base/fault.ts";
import { SetupFile } from "../../../protocol/device/setup-file.ts";
import { listFaults, mostInLine } from "../../../protocol/refusal.ts";

type Issue = Extract<ReturnType<typeof SetupFile.safeParse>, { success: false }>["error"]["issues"][number];

/**
 * The settings in `text`.
 * @param name the file's name in errors.
 * @throws Fault `bad-config` that names the wrong lines, the first of many.
 */
export function parseSetupToml(text: string, name: string): SetupFile {
  const parsed = SetupFile.safeParse(tableOf(text, name));
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.flatMap(apart);
  const faults = issues.slice(0, mostInLine).map((issue) => `${name}, ${describe(issue, text)}`);
  throw new Fault("bad-config", listFaults(faults, issues.length - faults.length));
}

/** The line, counted from 1, that sets the value at `path`; null when the text writes it in another way. */
export function lineOf(text: string, path: readonly string[]): number | null {
  let table: string[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const header = /^\s*\[\s*([^[\]]+?)\s*\]/.exec(line)?.[1];
    if (header !== undefined) table = keyOf(header);
    const key = /^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=/.exec(line)?.[1];
    const here = header === undefined ? (key === undefined ? null : [...table, ...keyOf(key)]) : table;
    if (here !== null && here.join("\n") === path.join("\n")) return index + 1;
  }
  return null;
}

function tableOf(text: string, name: string): unknown {
  try {
    // A byte order mark, which Windows' editor adds.
    return parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason] = error.message.replace(/^Invalid TOML document: /, "").split("\n");
    const remedy = 'write settings as name = value, and texts in quotes, such as server = "https://signage.example.org"';
    throw new Fault("bad-config", `${name}, line ${error.line}: ${reason}; ${remedy}`, { cause: error });
  }
}

/** One issue for each unknown setting. */
function apart(issue: Issue): Issue[] {
  return issue.code === "unrecognized_keys" ? issue.keys.map((key) => ({ ...issue, keys: [key] })) : [issue];
}

function describe(issue: Issue, text: string): string {
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys") return unknownKey([...path, ...issue.keys], text);
  return `${placeOf(path, text)}${path.join(".")} ${issue.message}`;
}

function unknownKey(path: string[], text: string): string {
  const parent = path.slice(0, -1);
  const known = Object.keys(parent.length === 0 ? SetupFile.shape : SetupFile.shape.wifi.unwrap().shape);
  const meant = closestName(path.at(-1)!, known);
  const remedy = meant === undefined ? `the settings are ${known.join(", ")}` : `did you mean “${[...parent, meant].join(".")}”?`;
  return `${placeOf(path, text)}there is no setting “${path.join(".")}”: ${remedy}`;
}

/** The line of a setting, or of the list or table that contains it. */
function placeOf(path: readonly string[], text: string): string {
  for (let length = path.length; length > 0; length -= 1) {
    const line = lineOf(text, path.slice(0, length));
    if (line !== null) return `line ${line}: `;
  }
  return "";
}

function keyOf(written: string): string[] {
  return [...written.matchAll(/"([^"]*)"|'([^']*)'|([\w-]+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");
}
