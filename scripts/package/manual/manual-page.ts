// Manual pages in roff, from the programs' flag definitions.
import type { Usage } from "../../../src/base/config.ts";
import { portable, type Manual } from "./manuals.ts";

/** The manual page of a command, section 1. @param epoch the page's date, in seconds. */
export function manualPage({ name, summary, description, programs, files, see }: Manual, version: string, epoch: number): string {
  const date = new Date(epoch * 1_000).toISOString().slice(0, 10);
  return `${[
    `.TH ${quoted(name.toUpperCase())} 1 ${quoted(date)} ${quoted(`${name} ${version}`)} "User Commands"`,
    ".SH NAME",
    `${escaped(name)} \\- ${escaped(summary)}`,
    ".SH SYNOPSIS",
    `.B ${escaped(name)}`,
    ".I PROGRAM",
    "[flags]",
    ".br",
    `.B ${escaped(name)}`,
    ".I PROGRAM",
    escaped("--help"),
    ".SH DESCRIPTION",
    ...description.flatMap((text, index) => [...(index === 0 ? [] : [".PP"]), escaped(text)]),
    ".SH PROGRAMS",
    ...programs.flatMap((program) => programLines(program.name, program.usage)),
    ...(Object.keys(files).length === 0 ? [] : [".SH FILES"]),
    ...Object.entries(files).flatMap(([path, text]) => [".TP", `.I ${escaped(path)}`, escaped(text)]),
    ".SH EXIT STATUS",
    "0 stopped on request or printed help, 1 failed, 2 bad flags.",
    ".SH SEE ALSO",
    `${see.map((page) => escaped(page).replace(/^(.*)\((\d)\)$/, "\\fB$1\\fR($2)")).join(",\n")}`,
  ].join("\n")}\n`;
}

function programLines(name: string, { summary, flags, positionals, notes = [] }: Usage): string[] {
  const head = positionals === undefined ? name : `${name} ${positionals}`;
  return [
    `.SS ${quoted(head)}`,
    escaped(portable(summary)),
    ...Object.entries(flags).flatMap(([flag, { value, help }]) => [
      ".TP",
      `\\fB${escaped(`--${flag}`)}\\fR${value === undefined ? "" : ` \\fI${escaped(value)}\\fR`}`,
      escaped(portable(help)),
    ]),
    ...notes.filter((note) => note.trim() !== "").flatMap((note) => [".PP", escaped(portable(note.trim()))]),
  ];
}

function quoted(text: string): string {
  return `"${escaped(text).replaceAll('"', "\\(dq")}"`;
}

/** Text that roff prints as it is: hyphens that can be copied, no requests. */
function escaped(text: string): string {
  const plain = text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll("~", "\\(ti").replaceAll("^", "\\(ha");
  return plain
    .replaceAll("“", "\\(lq")
    .replaceAll("”", "\\(rq")
    .replaceAll("…", "\\&...")
    .replace(/^([.'])/, "\\&$1");
}
