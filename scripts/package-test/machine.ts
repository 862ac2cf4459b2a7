// A Debian machine in a container that keeps its disk over reboots, with the signed apt repositories and a headless display.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Container } from "../soak/units/container.ts";
import { freePort, Installation, player, session } from "../soak/units/installation.ts";
import { debianSystem, SystemCopy, type System } from "./debian.ts";
import type { PackageTest } from "./package-part.ts";

const execute = promisify(execFile);
/** How long units and content may take to start. Several machines share the CPUs. */
export const startLimitMs = 300_000;
const aptLimitMs = 1_800_000;
// A container has no console, and this machine may have no display.
const headlessSession = `[Service]
TTYPath=
TTYReset=no
TTYVHangup=no
StandardInput=null
UtmpIdentifier=
Environment=WLR_BACKENDS=headless WLR_RENDERER=pixman
`;
// What people read on their screens is larger than this many different pixels; a bare compositor shows one color.
const colorsOfText = 8;

/** The files of a machine: its folder, until it is disposed of. */
interface Disk extends AsyncDisposable {
  readonly folder: string;
}

export class Machine implements AsyncDisposable {
  readonly test: PackageTest;
  readonly serverUrl: string;
  readonly #copy: Disk;
  readonly #folders: { readOnly: Record<string, string>; writable: Record<string, string> };
  #container: Container | null = null;
  #installation: Installation | null = null;
  #shots = 0;
  readonly name: string;

  private constructor(test: PackageTest, name: string, copy: Disk, port: number, writable: Record<string, string>) {
    this.test = test;
    this.name = name;
    this.#copy = copy;
    this.serverUrl = `http://127.0.0.1:${port}`;
    this.#folders = { readOnly: { "/opt/packages": test.packages, "/opt/newer": test.newer }, writable };
  }

  /** Boots a new one. @param writable folders of this machine by their paths inside. */
  static async create(test: PackageTest, name: string, system: System["content"], writable: Record<string, string> = {}): Promise<Machine> {
    const folder = await debianSystem(test, { content: system, architecture: "amd64" });
    return Machine.on(test, name, await SystemCopy.create(folder, join(test.work, name)), writable);
  }

  /** Boots a new one from a disk, which it disposes of. */
  static async on(test: PackageTest, name: string, copy: Disk, writable: Record<string, string> = {}): Promise<Machine> {
    const port = await freePort();
    const machine = new Machine(test, name, copy, port, writable);
    try {
      await machine.boot();
      await machine.write(`/etc/systemd/system/${session}.d/headless.conf`, headlessSession);
      await machine.write("/etc/default/signage-service", `SIGNAGE_PORT=${port}\n`);
      await machine.call("rm", "-rf", "/etc/apt/sources.list.d");
      await machine.write(
        "/etc/apt/sources.list",
        "deb http://deb.debian.org/debian trixie main\ndeb http://deb.debian.org/debian-security trixie-security main\n",
      );
      return machine;
    } catch (error) {
      await machine[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Where its files are on this machine. */
  get folder(): string {
    return this.#copy.folder;
  }

  async boot(): Promise<void> {
    this.#container = await Container.boot(this.#copy.folder, this.test.run, { isKept: true, ...this.#folders });
    this.#installation = null;
  }

  /** Shuts it down and boots it again. */
  async reboot(): Promise<void> {
    await this.#powerOff();
    await this.boot();
  }

  /** Loses its power: nothing is written any more. It can be booted again after that. */
  async cutPower(): Promise<void> {
    await this.#container!.kill();
    this.#container = null;
    // It follows the journal in the container, and has ended with it.
    await this.#installation?.[Symbol.asyncDispose]();
    this.#installation = null;
  }

  /** Adds a signed repository of `npm run package`, as docs/packages.md says. */
  async addRepository(name: "packages" | "newer"): Promise<void> {
    const key = `/etc/apt/keyrings/${name}.asc`;
    await this.call("install", "-D", "--mode=644", `/opt/${name}/apt/signage-player.asc`, key);
    await this.write(`/etc/apt/sources.list.d/${name}.list`, `deb [signed-by=${key}] file:/opt/${name}/apt stable main\n`);
    await this.call("apt-get", "update");
  }

  /** Runs apt-get without questions: settings that are there already stay. */
  apt(...argv: string[]): Promise<string> {
    const flags = ["--yes", "-o", "Dpkg::Options::=--force-confold"];
    return this.call("env", "DEBIAN_FRONTEND=noninteractive", "timeout", String(aptLimitMs / 1_000), "apt-get", ...flags, ...argv);
  }

  call(...command: string[]): Promise<string> {
    return this.#container!.call(...command);
  }

  write(path: string, text: string): Promise<string> {
    return this.call("sh", "-c", 'mkdir -p "$(dirname "$1")" && printf %s "$2" > "$1"', "sh", path, text);
  }

  /** Whether a command succeeds. */
  async succeeds(...command: string[]): Promise<boolean> {
    return this.call(...command).then(
      () => true,
      () => false,
    );
  }

  /** The units, once the packages have installed them. It follows the journal of this boot. */
  get units(): Installation {
    this.#installation ??= Installation.of(this.#container!, this.test.run, this.serverUrl, startLimitMs);
    return this.#installation;
  }

  async isActive(unit: string): Promise<boolean> {
    return this.succeeds("systemctl", "--quiet", "is-active", unit);
  }

  async untilActive(...units: string[]): Promise<void> {
    for (const unit of units) await this.test.run.until(`${unit} is active`, () => this.isActive(unit), startLimitMs);
  }

  /** Tells the player its service, as an operator does. */
  async setServer(): Promise<void> {
    await this.call("signage-player", "setup", "--server", this.serverUrl);
    await this.untilActive(player);
  }

  /** Takes a picture of the display, which stays in the run's folder. @returns its path and how many colors it has. */
  async screenshot(about: string): Promise<{ path: string; colors: number; sha256: string }> {
    const ppm = await this.#grim();
    this.#shots += 1;
    const path = join(this.test.work, `${this.name}-${this.#shots}-${about}.png`);
    const pixels = ppm.subarray(ppm.indexOf("\n255\n") + 5);
    const seen = new Set<number>();
    for (let at = 0; at + 2 < pixels.length; at += 3) seen.add(pixels.readUIntBE(at, 3));
    await writeFile(path, await this.#grim("png"));
    return { path, colors: seen.size, sha256: createHash("sha256").update(pixels).digest("hex") };
  }

  /** Waits until the display shows text or pictures, and keeps a picture of it. */
  async untilShown(about: string): Promise<string> {
    let last = "";
    const isShown = async (): Promise<boolean> => {
      const { path, colors } = await this.screenshot(about).catch(() => ({ path: "", colors: 0 }));
      last = path;
      return colors >= colorsOfText;
    };
    await this.test.run.until(`the display shows: ${about}`, isShown, startLimitMs);
    this.test.run.print({ machine: this.name, shows: about, picture: last });
    return last;
  }

  async #grim(type: "ppm" | "png" = "ppm"): Promise<Buffer> {
    const display = "XDG_RUNTIME_DIR=/run/signage-session WAYLAND_DISPLAY=wayland-0";
    const text = await this.call("sh", "-c", `${display} grim -t ${type} - | base64 --wrap=0`);
    return Buffer.from(text, "base64");
  }

  /** Keeps its journal in the run's folder. */
  async saveJournal(): Promise<void> {
    await writeFile(join(this.test.work, `${this.name}.log`), await this.call("journalctl", "--output=short-iso-precise", "--no-hostname"));
  }

  async #powerOff(): Promise<void> {
    await this.#installation?.[Symbol.asyncDispose]();
    this.#installation = null;
    await this.#container?.[Symbol.asyncDispose]();
    this.#container = null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#container !== null && this.test.run.violations.length > 0) await this.saveJournal().catch(() => undefined);
    await this.#powerOff();
    await this.#copy[Symbol.asyncDispose]();
  }
}

/** The newest version of the packages in a repository. */
export async function packageVersion(folder: string): Promise<string> {
  const { stdout } = await execute("sh", ["-c", `dpkg-deb --field "$1"/packages/signage-player_*_amd64.deb Version`, "sh", folder]);
  return stdout.trim();
}
