// The stand-in's line to a test: what the app asked of Electron goes out, what the box does to Electron comes in.
import { appendFileSync, existsSync, readFileSync, watch, writeFileSync } from "node:fs";

/** One thing that the app asked of Electron, or that Electron did to it. */
export type Recorded = { call: string } & Record<string, unknown>;

/** What a test has the box do: the display gets another size, or somebody else takes the page's debugger over. */
export type TestEvent = { is: "display"; width: number; height: number } | { is: "detach"; reason: string };

/** Adds a line to the file that `ELECTRON_STAND_IN_RECORD` names. */
export function record(line: Recorded): void {
  const file = process.env["ELECTRON_STAND_IN_RECORD"];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/** Calls `listener` with each line that a test adds to the file `ELECTRON_STAND_IN_HAPPENINGS`. */
export function onTestEvent(listener: (happening: TestEvent) => void): void {
  const file = process.env["ELECTRON_STAND_IN_HAPPENINGS"];
  if (file === undefined) return;
  if (!existsSync(file)) writeFileSync(file, "");
  let read = 0;
  watch(file, () => {
    const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
    for (const line of lines.slice(read)) listener(JSON.parse(line) as TestEvent);
    read = lines.length;
  }).unref();
}
