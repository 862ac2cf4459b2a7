// An app for the stand-in with an uncaught error, by its last argument: thrown in a timer, or an unhandled rejection.
import { app } from "electron";
import { electronLifecycle } from "../../../../src/main/electron/lifecycle.ts";
import { runProgram } from "../../../../src/main/program.ts";

const kind = process.argv.at(-1);

void runProgram("fails", () => null, run, { lifecycle: electronLifecycle });

async function run(): Promise<void> {
  await app.whenReady();
  if (kind === "throws") setTimeout(() => throwPlanted(), 0);
  else void Promise.reject(new Error("planted"));
  await new Promise(() => undefined);
}

function throwPlanted(): never {
  throw new Error("planted");
}
