// Packs the Electron player by the project's electron-builder.yml, with a stand-in for Electron's own folder.
import { execFile } from "node:child_process";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createPackage, extractAll, getRawHeader } from "@electron/asar";
import manifest from "../../../package.json" with { type: "json" };
import { rootFolder } from "../../../src/main/folders.ts";
import { temporaryFolder } from "../folder.ts";
import { bundleProgramsIfStale } from "./bundle.ts";

/** A file of the archive. */
export interface PackedFile {
  path: string;
  /** Whether it is in `app.asar.unpacked`. */
  unpacked: boolean;
}

/** A packed player, with its archive extracted outside this project, so that it cannot find the project's files. */
export interface ElectronPackage extends AsyncDisposable {
  /** Electron's executable with its fuses set. */
  executable: string;
  files: readonly PackedFile[];
  /** A folder named `app.asar` with the archive's content; `app.asar.unpacked` is beside it. */
  program: string;
}

/** Packs the built page and programs for this machine's Linux and extracts the package. Takes 15 s of CPU time; uses no network. */
export async function packForElectron(): Promise<ElectronPackage> {
  // The page was built before the tests; electron-builder's hook rejects a stale one.
  await bundleProgramsIfStale();
  await using cleanup = new AsyncDisposableStack();
  const { path: folder } = cleanup.use(await temporaryFolder());
  const output = join(folder, "output");
  await writeElectron(join(folder, "electron"));
  const flags = [`electronDist=${join(folder, "electron")}`, `electronVersion=${manifest.devDependencies.electron}`];
  const settings = [...flags, `directories.output=${output}`].map((setting) => `-c.${setting}`);
  const builder = join(rootFolder, "node_modules/electron-builder/cli.js");
  // An unreachable proxy, so that electron-builder cannot download anything.
  const env = { ...process.env, HTTPS_PROXY: "http://127.0.0.1:9", HTTP_PROXY: "http://127.0.0.1:9" };
  await promisify(execFile)(process.execPath, [builder, "--linux", "--dir", ...settings], { cwd: rootFolder, env });
  const unpacked = join(output, process.arch === "x64" ? "linux-unpacked" : `linux-${process.arch}-unpacked`);
  const archive = join(unpacked, "resources/app.asar");
  const files = filesIn(getRawHeader(archive).header as Folder);
  const program = join(folder, "away/app.asar");
  extractAll(archive, program);
  await rename(`${archive}.unpacked`, `${program}.unpacked`);
  const kept = cleanup.move();
  return { executable: join(unpacked, "signage-player"), files, program, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Writes the files that electron-builder expects in Electron's folder. The executable only contains Electron's fuses. */
async function writeElectron(folder: string): Promise<void> {
  await mkdir(join(folder, "locales"), { recursive: true });
  await mkdir(join(folder, "resources"));
  await mkdir(join(folder, "nothing"));
  const wire = Buffer.concat([Buffer.from("dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX"), Buffer.of(1, 9), Buffer.from("101100011")]);
  await writeFile(join(folder, "electron"), wire, { mode: 0o755 });
  for (const name of ["version", "chrome-sandbox", "LICENSE", "LICENSES.chromium.html", "locales/en-US.pak", "locales/de.pak"]) {
    await writeFile(join(folder, name), name === "version" ? manifest.devDependencies.electron : "");
  }
  await writeFile(join(folder, "nothing/nothing.js"), "");
  await createPackage(join(folder, "nothing"), join(folder, "resources/default_app.asar"));
}

interface Folder {
  files: Record<string, Folder | { unpacked?: boolean }>;
}

function filesIn({ files }: Folder, path = ""): PackedFile[] {
  return Object.entries(files).flatMap(([name, entry]) =>
    "files" in entry ? filesIn(entry, `${path}${name}/`) : [{ path: path + name, unpacked: entry.unpacked === true }],
  );
}
