// Paths on command lines: absolute from the moment at which they are read, in every program.
import { join } from "node:path";
import { expect, test } from "vitest";
import { readFlags, type Usage } from "../../src/base/config.ts";
import { usage as demoUsage } from "../../src/main/demo/demo.ts";
import { dataFolder } from "../../src/main/folders.ts";
import { formatPlayerFlags, readPlayerFlags } from "../../src/main/player/player-flags.ts";
import { playerManual, releaseManual, serviceManual } from "../../scripts/package/manual/manuals.ts";

const programs: readonly (readonly [string, Usage])[] = [
  ...[playerManual, serviceManual, releaseManual].flatMap((manual) =>
    manual.programs.map(({ name, usage }) => [`${manual.name} ${name}`, usage] as const),
  ),
  ["demo", demoUsage],
];
const isPath = ({ value = "" }: { value?: string }): boolean => /FILE|DIR|FOLDER/.test(value);
const pathFlags = programs.flatMap(([program, usage]) =>
  Object.entries(usage.flags).flatMap(([name, flag]) => (isPath(flag) ? [[program, name, usage] as const] : [])),
);

test("[PTH1] there are path flags in every program that has files", () => {
  expect(new Set(pathFlags.map(([, name]) => name))).toEqual(
    new Set([
      ...pathFlags.map(([, name]) => name),
      "data",
      "ca",
      "preload",
      "tls-cert",
      "tls-key",
      "token-file",
      "to",
      "from",
      "repository",
    ]),
  );
});

test.each(pathFlags)("[PTH1] %s --%s: a relative path begins at the working directory of the start", (_program, name, usage) => {
  const { value = "" } = usage.flags[name]!;
  const isList = value.includes(",");
  const given = isList ? "a/b,../c" : "a/b";
  const read = readFlags([`--${name}=${given}`], usage)[name];
  const wanted = isList ? [join(process.cwd(), "a/b"), join(process.cwd(), "../c")].join(",") : join(process.cwd(), "a/b");
  expect(read).toBe(wanted);
  expect(readFlags([`--${name}=/x/y`], usage)[name]).toBe("/x/y");
  // What is missing is told as such, not taken for the working directory.
  expect(readFlags([`--${name}=`], usage)[name]).toBe("");
});

test("[PTH1] the player hands absolute paths to Electron, and addresses and texts stay as they are", () => {
  const config = readPlayerFlags(["--data", "data", "--ca", "./ca.pem", "--preload", "stick", "--server", "http://s.example/a/b"]);
  expect(formatPlayerFlags(config)).toEqual([
    "--server=http://s.example/a/b",
    `--data=${join(process.cwd(), "data")}`,
    `--ca=${join(process.cwd(), "ca.pem")}`,
    `--preload=${join(process.cwd(), "stick")}`,
  ]);
  const usage: Usage = { command: "x", summary: "x", flags: { from: { value: "FOLDER|URL", help: "x" } }, positionals: "FILE|URL|TEXT" };
  const { from, positionals } = readFlags(["--from", "https://r.example/x", "a text"], usage);
  expect([from, positionals]).toEqual(["https://r.example/x", ["a text"]]);
});

test("[PTH2] a relative or empty XDG_DATA_HOME is ignored, as its specification demands", () => {
  const before = process.env["XDG_DATA_HOME"];
  try {
    delete process.env["XDG_DATA_HOME"];
    const without = dataFolder();
    for (const given of ["", "data", "./data"]) {
      process.env["XDG_DATA_HOME"] = given;
      expect(dataFolder()).toBe(without);
    }
    process.env["XDG_DATA_HOME"] = "/srv";
    expect(dataFolder()).toBe("/srv/signage-player");
  } finally {
    if (before === undefined) delete process.env["XDG_DATA_HOME"];
    else process.env["XDG_DATA_HOME"] = before;
  }
});
