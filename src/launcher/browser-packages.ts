// The browser's Debian packages: which version is installed, keeping its files, and installing them again.
import { copyFile, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { Fault, hasErrorCode } from "../base/fault.ts";
import { syncFolder } from "../base/files/durable-file.ts";
import { minuteMs } from "../base/time.ts";
import type { Device } from "./device.ts";
import type { Launcher } from "./launcher-parts.ts";

interface Package {
  name: string;
  version: string;
}

// dpkg installs a few hundred megabytes on a slow card.
const installLimitMs = 15 * minuteMs;
const downloadLimitMs = 10 * minuteMs;

/** The Debian version of Chromium; null where it is not installed. */
export async function installedBrowser(device: Device): Promise<string | null> {
  return (await installedPackages(device)).find(({ name }) => name === "chromium")?.version ?? null;
}

/** True if the player's browser, such as `Chromium 156.0.8078.79`, is that of a Debian version, such as `156.0.8078.79-1~deb13u1`. */
export function isBrowserOf(running: string, debianVersion: string): boolean {
  const upstream = debianVersion.replace(/^\d+:/, "").replace(/-[^-]*$/, "");
  return running.split(" ").includes(upstream);
}

/**
 * Keeps the packages of the browser that is installed, and of the one that apt is about to install: when the next one replaces it,
 * apt has deleted its file, and Debian's mirrors have only the newest.
 * @param incoming the files that apt is about to install.
 * @param mayDownload lets apt download a file that is nowhere on the disk. False from within apt.
 * @returns the versions that are kept whole.
 */
export async function keepBrowser(launcher: Launcher, incoming: readonly string[], mayDownload: boolean): Promise<string[]> {
  const { device, folders, store, log } = launcher;
  const current = await installedPackages(device);
  const coming = incoming.flatMap((path) => packageOf(path) ?? []);
  const archives = (await listFolder(folders.aptArchives)).map((name) => join(folders.aptArchives, name));
  for (const set of [current, coming]) {
    const version = set.find(({ name }) => name === "chromium")?.version;
    if (version === undefined) continue;
    const folder = versionFolder(launcher, version);
    const copies = (await listFolder(folder)).flatMap((name) => packageOf(name) ?? []);
    for (const each of set) {
      if (copies.some((other) => isSame(each, other))) continue;
      const file = [...incoming, ...archives].find((path) => isSame(packageOf(path), each));
      await mkdir(folder, { recursive: true, mode: 0o755 });
      if (file !== undefined) await copyDurably(file, join(folder, basename(file)));
      else if (mayDownload) await download(device, folder, each);
      else log("the browser's package is not on the disk, so it cannot be kept", { ...each });
    }
  }
  const { browser, trial } = await store.read();
  const versions = [...current, ...coming].map(({ version }) => version);
  const folderNames = new Set(
    [browser.good, trial?.what === "browser" ? trial.returnVersion : null, ...versions].map(
      (version) => version && encodeURIComponent(version),
    ),
  );
  for (const name of await listFolder(folders.browser)) {
    if (!folderNames.has(name)) await rm(join(folders.browser, name), { recursive: true });
  }
  return (await listFolder(folders.browser)).map((name) => decodeURIComponent(name));
}

/** Installs a kept version, and holds it until {@link releaseHold}. @throws Fault `refused` when it is not kept or dpkg fails. */
export async function restoreBrowser(launcher: Launcher, version: string): Promise<void> {
  const { device, log } = launcher;
  const folder = versionFolder(launcher, version);
  const files = (await listFolder(folder)).filter((name) => packageOf(name) !== null);
  const names = files.map((name) => packageOf(name)!.name);
  if (!names.includes("chromium")) throw new Fault("refused", `The packages of the browser ${version} are not in ${folder}`);
  try {
    await device.run("dpkg", ["--force-confold", "-i", ...files.map((name) => join(folder, name))], { limitMs: installLimitMs });
    await device.run("apt-mark", ["hold", ...names]);
  } catch (cause) {
    throw new Fault("refused", `The browser ${version} could not be installed again; this is tried again`, { cause });
  }
  log("the browser before is installed again, and held", { version });
}

/** Lets apt install a newer version than the one that failed, once there is one. */
export async function releaseHold({ device, log }: Launcher, faultyVersion: string): Promise<boolean> {
  const policy = await device.run("apt-cache", ["policy", "chromium"]);
  const candidate = /^\s*Candidate:\s*(\S+)/m.exec(policy)?.[1];
  if (candidate === undefined || candidate === "(none)") return false;
  const isNewer = await device.run("dpkg", ["--compare-versions", candidate, "gt", faultyVersion]).then(
    () => true,
    (error: unknown) => {
      // dpkg says no by its exit code 1.
      if (error instanceof Error && "code" in error && error.code === 1) return false;
      throw error;
    },
  );
  if (!isNewer) return false;
  const names = (await installedPackages(device)).map(({ name }) => name);
  await device.run("apt-mark", ["unhold", ...names]);
  log("apt may install a newer browser", { candidate });
  return true;
}

async function installedPackages(device: Device): Promise<Package[]> {
  const format = "${Package}\t${Version}\t${db:Status-Status}\n";
  const table = await device.run("dpkg-query", ["-W", "-f", format, "chromium", "chromium-*"]).catch((error: unknown) => {
    // dpkg-query fails if one of the names matches nothing, and still prints the others. Without the program there are none.
    if (hasErrorCode(error, "ENOENT")) return "";
    if (error instanceof Error && "stdout" in error && "code" in error && error.code === 1) return String(error.stdout);
    throw error;
  });
  return table.split("\n").flatMap((line) => {
    const [name = "", version = "", status] = line.split("\t");
    return status === "installed" ? [{ name, version }] : [];
  });
}

/** The package in a .deb by its file name, in which apt writes `:` as `%3a`; null for other files than the browser's. */
function packageOf(path: string): Package | null {
  const [, name, version] = /^(chromium[a-z0-9-]*)_([^_]+)_[a-z0-9]+\.deb$/.exec(basename(path)) ?? [];
  return name === undefined || version === undefined ? null : { name, version: decodeURIComponent(version) };
}

function isSame(a: Package | null, b: Package): boolean {
  return a?.name === b.name && a.version === b.version;
}

function versionFolder({ folders }: Launcher, version: string): string {
  return join(folders.browser, encodeURIComponent(version));
}

async function copyDurably(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, `${to}.new`);
    await using file = await open(`${to}.new`, "r+");
    await file.sync();
  } catch (error) {
    await rm(`${to}.new`, { force: true });
    throw error;
  }
  await rename(`${to}.new`, to);
  await syncFolder(join(to, ".."));
}

async function download(device: Device, folder: string, { name, version }: Package): Promise<void> {
  await device.run("apt-get", ["download", `${name}=${version}`], { cwd: folder, limitMs: downloadLimitMs });
  await syncFolder(folder);
}

async function listFolder(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (hasErrorCode(error, "ENOENT")) return [];
    throw error;
  });
}
