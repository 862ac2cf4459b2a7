// Variables in a file that systemd reads by EnvironmentFile= and a shell by `.`.
import { hasErrorCode } from "../../base/fault.ts";
import { readFile } from "node:fs/promises";

/** The variables of a file; none when it is missing. */
export async function readVariables(path: string): Promise<Map<string, string>> {
  return new Map(entriesOf(await textOf(path)).flatMap(({ name, value }) => (name === null ? [] : [[name, value] as const])));
}

/**
 * The file's text with other values: null removes a variable. Comments and the other variables stay as they are.
 */
export async function changedVariables(path: string, values: ReadonlyMap<string, string | null>): Promise<string> {
  const kept = entriesOf(await textOf(path)).flatMap(({ name, line }) => (name !== null && values.has(name) ? [] : [line]));
  const written = [...values].flatMap(([name, value]) => (value === null ? [] : [`${name}=${quote(value)}`]));
  return `${[...kept, ...written].join("\n")}\n`;
}

/** In double quotes, where systemd and the shell take a backslash before these four characters as an escape. */
function quote(value: string): string {
  return `"${value.replaceAll(/["\\$`]/g, String.raw`\$&`)}"`;
}

function entriesOf(text: string): { name: string | null; value: string; line: string }[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => {
    const [, name = null, written = ""] = /^\s*([A-Za-z_]\w*)=(.*)$/.exec(line) ?? [];
    return { name, value: unquote(written.trim()), line };
  });
}

function unquote(written: string): string {
  if (/^'.*'$/.test(written)) return written.slice(1, -1);
  const inner = /^"(.*)"$/.exec(written)?.[1];
  return inner === undefined ? written : inner.replaceAll(/\\(["\\$`])/g, "$1");
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return "";
    throw error;
  }
}
