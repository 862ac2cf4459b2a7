// Starts the bundled Electron player as a child and ends with it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "../base/fault.ts";
import { rootFolder } from "./folders.ts";

/** Runs Electron's `executable` with the player's flags until it ends or `signal` aborts. @throws Fault `browser-failed`. */
export async function runElectron(executable: string, argv: readonly string[], signal: AbortSignal): Promise<void> {
  const bundle = join(rootFolder, "dist/main/electron.js");
  if (!existsSync(bundle)) throw new Fault("browser-missing", "the Electron player is not built yet. Run: npm run build");
  const child = spawn(executable, [rootFolder, ...argv], { stdio: "inherit" });
  signal.addEventListener("abort", () => child.kill("SIGTERM"), { once: true });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0 && !signal.aborted) throw new Fault("browser-failed", `Electron ended with ${code ?? "a signal"}`);
}
