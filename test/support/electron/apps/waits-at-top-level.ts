// An app for the stand-in that awaits its own readiness at top level, which never ends in Electron.
import { app } from "electron";

process.stdout.write(`${JSON.stringify({ msg: "evaluating" })}\n`);
process.on("SIGTERM", () => undefined); // stays installed only because Electron never becomes ready
await app.whenReady();
process.stdout.write(`${JSON.stringify({ msg: "evaluated" })}\n`);
