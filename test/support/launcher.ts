// A device for tests of the launcher: real folders, slots and signed bundles; the clock, the boot and the system's programs are the test's.
import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { zstdCompressSync } from "node:zlib";
import { z } from "zod";
import { beforeStart } from "../../src/launcher/before-start.ts";
import type { Device } from "../../src/launcher/device.ts";
import { launcherFolders, type LauncherFolders } from "../../src/launcher/launcher-folders.ts";
import { openLauncher, type Launcher } from "../../src/launcher/launcher-parts.ts";
import { LauncherWatch } from "../../src/launcher/watch.ts";
import { LauncherStatus, type Health, type ReleaseManifest } from "../../src/protocol/device/updates.ts";
import { FakeClock } from "./clock.ts";
import { temporaryFolder } from "./folder.ts";
import { SignedReleases, type SignedReleasesOptions } from "./signed-releases.ts";

const run = promisify(execFile);

/** What the player under test does: its health, or none while it hangs or does not start. */
export type PlayerBehaviour = Partial<Health["checks"]> | "silent";

export interface BundleOptions {
  launcher_needed?: string;
  /** Further files, or other content, by path. */
  files?: Record<string, string>;
  /** What release.json says instead of the signed manifest. */
  release?: object;
  /** Symbolic links to add, by path. */
  links?: Record<string, string>;
  /** Further arguments of tar, such as to change names. */
  tarArguments?: string[];
}

/** The program of a bundle: prints how it was started. */
const program = `#!/bin/sh\necho "$@" "$SIGNAGE_LAUNCHER_STATUS" "$SIGNAGE_UPDATES" "$SIGNAGE_HEALTH"\n`;

async function bundleOf(
  manifest: ReleaseManifest,
  { files = {}, release = manifest, links = {}, tarArguments = [] }: BundleOptions = {},
): Promise<Buffer> {
  await using folder = await temporaryFolder();
  await writeProgram(folder.path, release, files);
  for (const [path, target] of Object.entries(links)) await symlink(target, join(folder.path, path));
  const options = { encoding: "buffer", maxBuffer: 2 ** 26 } as const;
  const { stdout } = await run("tar", ["--format=pax", ...tarArguments, "-C", folder.path, "-c", "."], options);
  return zstdCompressSync(stdout);
}

async function writeProgram(folder: string, release: object, files: Record<string, string> = {}): Promise<void> {
  const all = { "bin/node": program, "dist/main/cli.js": "", "package.json": "{}", "release.json": JSON.stringify(release), ...files };
  for (const [path, content] of Object.entries(all)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  await chmod(join(folder, "bin/node"), 0o755);
}

/** A device whose package brought 1.0.0, in a folder. */
export class LauncherRig implements AsyncDisposable {
  readonly clock: FakeClock;
  readonly folders: LauncherFolders;
  readonly releases: SignedReleases;
  readonly #folder: AsyncDisposable;
  /** The programs of the system that were run, with their arguments. */
  readonly calls: string[] = [];
  /** The answers of the system's programs. An Error is a failure. */
  answers: (call: string) => string | Error = () => "";
  launcher!: Launcher;
  watch!: LauncherWatch;
  behaviour: PlayerBehaviour = {};
  browser: string | null = "Chromium 150.0.1.2";
  #bootId = "boot-1";
  #bootedAt = 0;
  #instance = 0;
  #startedAt = 0;
  #runs: string | null = null;

  private constructor(folder: AsyncDisposable & { path: string }, releases: SignedReleases, clock: FakeClock) {
    this.#folder = folder;
    this.folders = launcherFolders(join(folder.path, "root"));
    this.releases = releases;
    this.clock = clock;
  }

  static async create(options: SignedReleasesOptions = {}): Promise<LauncherRig> {
    const [folder, clock] = [await temporaryFolder(), new FakeClock()];
    const releases = await SignedReleases.create(join(folder.path, "repository"), { now: clock.now(), ...options });
    const rig = new LauncherRig(folder, releases, clock);
    const { folders } = rig;
    await rig.installPackage("1.0.0");
    for (const path of [folders.health, folders.launcherInfo, folders.anchors[1]!, folders.bootId])
      await mkdir(dirname(path), { recursive: true });
    await writeFile(folders.launcherInfo, JSON.stringify({ launcher_version: "1.0.0", built_at: "2026-11-01T00:00:00Z" }));
    await writeFile(folders.anchors[1]!, releases.anchor);
    await mkdir(join(folders.updates, "metadata"), { recursive: true });
    await mkdir(join(folders.updates, "targets"), { recursive: true });
    await rig.boot();
    return rig;
  }

  /** What apt does with the package's program. */
  async installPackage(version: string): Promise<void> {
    await rm(this.folders.slot("package"), { recursive: true, force: true });
    await writeProgram(this.folders.slot("package"), { version, architecture: "amd64", launcher_needed: "1.0.0" });
  }

  /** Starts the machine, the daemon and the player. */
  async boot({ keepsMemory = false } = {}): Promise<void> {
    this.#bootId = `boot-${Math.random()}`;
    this.#bootedAt = this.clock.elapsed();
    if (!keepsMemory) await rm(this.folders.run, { recursive: true, force: true });
    await writeFile(this.folders.bootId, `${this.#bootId}\n`);
    await this.restartDaemon();
    await this.startPlayer();
  }

  async restartDaemon(): Promise<void> {
    this.launcher = await openLauncher(this.folders, this.#device(), () => undefined);
    this.watch = new LauncherWatch(this.launcher);
  }

  /** A start of the player's unit, such as after a crash. Returns the slot that runs. */
  async startPlayer(): Promise<string> {
    const { slot, version } = await beforeStart(this.launcher);
    this.#runs = version;
    this.#instance += 1;
    this.#startedAt = this.clock.elapsed();
    return slot;
  }

  get version(): string | null {
    return this.#runs;
  }

  /** Lets time pass: the player writes its health, the daemon looks at it, and systemd restarts the unit as the daemon asks. */
  async pass(minutes: number, until: () => boolean = () => false): Promise<void> {
    for (let left = minutes * 60_000; left > 0 && !until(); left -= 20_000) {
      this.clock.advance(20_000);
      await this.#writeHealth();
      const before = this.calls.length;
      await this.watch.tick();
      if (this.calls.slice(before).some((call) => call.startsWith("systemctl restart"))) await this.startPlayer();
    }
  }

  async #writeHealth(): Promise<void> {
    if (this.behaviour === "silent" || this.#runs === null) return;
    const uptime = this.clock.elapsed() - this.#bootedAt;
    const health: Health = {
      version: this.#runs,
      boot_id: this.#bootId,
      instance_id: `run-${this.#instance}`,
      monotonic_ms: uptime,
      uptime_ms: this.clock.elapsed() - this.#startedAt,
      frames_presented: 1,
      browser: this.browser,
      memory_bytes: 1,
      memory_budget_bytes: 2,
      checks: { frames: true, checked_in: true, memory: true, ...this.behaviour },
    };
    await writeFile(this.folders.health, JSON.stringify(health));
  }

  /** Signs and downloads a version. */
  async offer(version: string, options: BundleOptions = {}): Promise<void> {
    const manifest = { version, architecture: "amd64" as const, launcher_needed: options.launcher_needed ?? "1.0.0" };
    const path = await this.releases.add(manifest, await bundleOf(manifest, options));
    await copyFile(join(this.releases.folder, path), join(this.folders.updates, path));
    await this.download();
  }

  /** Copies the newest metadata to where the player puts it. */
  async download(): Promise<void> {
    const metadata = join(this.releases.folder, "metadata");
    await run("cp", ["-r", `${metadata}/.`, join(this.folders.updates, "metadata")]);
  }

  /** The player asks for a version, and the daemon answers. */
  async ask(version: string, requestedAt = this.clock.now()): Promise<void> {
    await this.request(version, requestedAt);
    await this.pass(1 / 3);
  }

  /** The player writes its request. */
  async request(version: string, requestedAt = this.clock.now()): Promise<void> {
    const request = { id: `req-${Math.random()}`, version, requested_at: new Date(requestedAt).toISOString() };
    await writeFile(join(this.folders.updates, "request.json"), JSON.stringify(request));
  }

  async status(): Promise<z.infer<typeof LauncherStatus>> {
    return LauncherStatus.parse(JSON.parse(await readFile(this.folders.status, "utf8")));
  }

  #device(): Device {
    return {
      clock: this.clock,
      architecture: "amd64",
      uptime: () => this.clock.elapsed() - this.#bootedAt,
      bootId: async () => this.#bootId,
      run: async (name, args) => {
        const call = [name, ...args].join(" ");
        this.calls.push(call);
        const answer = this.answers(call);
        if (answer instanceof Error) throw answer;
        return answer;
      },
    };
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#folder[Symbol.asyncDispose]();
  }
}
