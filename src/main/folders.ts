// The folders of this program's own files and data.
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Fault } from "../base/fault.ts";

/** The project's or the package's root. */
export const rootFolder = fileURLToPath(new URL("../..", import.meta.url));
/** The built page. */
export const rendererFolder = join(rootFolder, "dist/renderer");

/**
 * Checks that the page is built: without it the browser would be restarted forever.
 * @throws Fault `page-missing`
 */
export function requirePage(): void {
  const page = join(rendererFolder, "player/index.html");
  if (!existsSync(page)) throw new Fault("page-missing", `the player's page is not built: ${page} is missing. Run: npm run build`);
}

/** The user's data folder for this program (XDG Base Directory Specification, by which a relative `XDG_DATA_HOME` is to be ignored). */
export function dataFolder(): string {
  const given = process.env["XDG_DATA_HOME"] ?? "";
  return join(isAbsolute(given) ? given : join(homedir(), ".local/share"), "signage-player");
}

/** The user's folder for data that a program keeps between runs (XDG Base Directory Specification). */
export function stateFolder(): string {
  const base = process.env["XDG_STATE_HOME"] ?? join(homedir(), ".local/state");
  return join(base, "signage-player");
}

/**
 * The command that a Debian package installed for this program, such as `signage-player`; in a checkout `inCheckout`. Only a package's
 * application has a release manifest.
 */
export function commandName(inCheckout: string, program?: string): string {
  if (!existsSync(join(rootFolder, "release.json"))) return inCheckout;
  const command = rootFolder.includes("/signage-service/") ? "signage-service" : "signage-player";
  return program === undefined ? command : `${command} ${program}`;
}

/** This program's version, from package.json. */
export function readVersion(): string {
  const json: unknown = JSON.parse(readFileSync(join(rootFolder, "package.json"), "utf8"));
  return typeof json === "object" && json !== null && "version" in json ? String(json.version) : "unknown";
}
