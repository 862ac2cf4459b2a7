// An app on the stand-in that fails in a way nobody catches, as its last argument says: thrown in a timer, or a rejection left alone.
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
