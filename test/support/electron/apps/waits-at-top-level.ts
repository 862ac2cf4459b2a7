// An app on the stand-in with the mistake that Electron punishes by waiting for ever: a top-level await for its own readiness.
import { app } from "electron";

process.stdout.write(`${JSON.stringify({ msg: "evaluating" })}\n`);
process.on("SIGTERM", () => undefined); // heard by nobody: kept from being replaced only because Electron never becomes ready
await app.whenReady();
process.stdout.write(`${JSON.stringify({ msg: "evaluated" })}\n`);
