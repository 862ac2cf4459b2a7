// Debian systems in folders, made once by mmdebstrap, and writable copies of them by overlayfs.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { PackageTest } from "./package-part.ts";

const execute = promisify(execFile);
const bare = "systemd,systemd-sysv,libpam-systemd,dbus,ca-certificates";
const screen =
  "chromium,chromium-sandbox,labwc,wlr-randr,grim,polkitd,dbus-user-session,fonts-noto-core,fonts-noto-cjk,fonts-noto-color-emoji";
const controls = "polkitd,dbus-user-session,login,pipewire,pipewire-pulse,wireplumber,pulseaudio-utils";
/**
 * `bare`: nothing of what the packages need. `screen`: all of it, so that their installation is quick. `controls`: what the player
 * controls its machine with.
 */
const contents = { bare, screen: `${bare},${screen}`, controls: `${bare},${controls}` } as const;
const mirror = "http://deb.debian.org";
const suite = "trixie";

export interface System {
  content: keyof typeof contents;
  architecture: "amd64" | "arm64";
}

/** @returns its folder in the cache. */
export async function debianSystem({ run, cache }: PackageTest, { content, architecture }: System): Promise<string> {
  const path = join(cache, `${suite}-${content}-${architecture}`);
  const list = `${path}.packages`;
  if ((await readFile(list, "utf8").catch(() => "")) === contents[content]) return path;
  run.print({ building: path });
  await mkdir(cache, { recursive: true });
  const unfinished = await mkdtemp(`${path}-`);
  try {
    const sources = [`deb ${mirror}/debian ${suite} main`, `deb ${mirror}/debian-security ${suite}-security main`];
    const names = [`--architectures=${architecture}`, `--include=${contents[content]}`];
    // A container's root must be searchable for all users, mkdtemp's folder is not.
    const chmod = `--customize-hook=chmod 755 "$1"`;
    await execute("mmdebstrap", ["--quiet", "--variant=minbase", "--format=directory", ...names, chmod, suite, unfinished, ...sources], {
      signal: run.signal,
      maxBuffer: 64 * 2 ** 20,
    });
    await rm(path, { recursive: true, force: true });
    await rename(unfinished, path);
    await writeFile(list, contents[content]);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return path;
}

/** A writable copy of a system: `folder` is there until it is disposed of, and the changes too. */
export class SystemCopy implements AsyncDisposable {
  readonly folder: string;
  readonly #parts: string;

  private constructor(parts: string) {
    this.#parts = parts;
    this.folder = join(parts, "root");
  }

  static async create(system: string, parts: string): Promise<SystemCopy> {
    const copy = new SystemCopy(parts);
    for (const name of ["upper", "scratch", "root"]) await mkdir(join(parts, name), { recursive: true });
    const layers = `lowerdir=${system},upperdir=${join(parts, "upper")},workdir=${join(parts, "scratch")}`;
    await execute("mount", ["-t", "overlay", "overlay", "-o", layers, copy.folder]);
    return copy;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A container that ends may hold it for a moment.
    await execute("umount", ["--lazy", this.folder]);
    for (const name of ["upper", "scratch"]) await rm(join(this.#parts, name), { recursive: true, force: true });
  }
}
