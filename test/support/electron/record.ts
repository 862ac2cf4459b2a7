// Communication between the stand-in and a test: records the app's calls to Electron, and receives events from the test.
import { appendFileSync, existsSync, readFileSync, watch, writeFileSync } from "node:fs";

/** A call of the app to Electron, or an action of Electron. */
export type Recorded = { call: string } & Record<string, unknown>;

/** An event from a test: the display changes its size, or another client takes over the page's debugger. */
export type TestEvent = { is: "display"; width: number; height: number } | { is: "detach"; reason: string };

/** Adds a line to the file that `ELECTRON_STAND_IN_RECORD` names. */
export function record(line: Recorded): void {
  const file = process.env["ELECTRON_STAND_IN_RECORD"];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/** Calls `listener` with each line that a test adds to the file `ELECTRON_STAND_IN_EVENTS`. */
export function onTestEvent(listener: (event: TestEvent) => void): void {
  const file = process.env["ELECTRON_STAND_IN_EVENTS"];
  if (file === undefined) return;
  if (!existsSync(file)) writeFileSync(file, "");
  let read = 0;
  watch(file, () => {
    const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
    for (const line of lines.slice(read)) listener(JSON.parse(line) as TestEvent);
    read = lines.length;
  }).unref();
}
