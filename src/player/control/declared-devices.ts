// The devices that the machine's root user has declared: scripts, serial ports and hosts. The service cannot add to them.
import { constants } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { hasErrorCode, reasonOf } from "../../base/fault.ts";
import { checkOwnedPath } from "../../base/files/owned-path.ts";
import { readSafely } from "../../base/files/untrusted-file.ts";
import type { Log } from "../../base/log.ts";
import { DeclaredName } from "../../protocol/device/machine-commands.ts";
import { WiredDisplays } from "../../protocol/device/wired-displays.ts";
import { describeRefusals } from "../../protocol/refusal.ts";

/** Where the declarations are, and who has to own them. */
export interface DeclaredPlaces {
  /** The folder of scripts; null: no script may run. */
  scripts: string | null;
  /** The file with serial ports and hosts. */
  wiredDisplays: string;
  /** The user who has to own them: 0, which is root, except in tests. */
  ownerUid: number;
}

/** Something that was declared, or why there is nothing, for people. */
type Declared<T> = { is: "declared"; value: T } | { is: "missing"; reason: string };

const readAgainMs = 60_000;
const maxFileBytes = 65_536;
const maxScripts = 64;
const anyExecute = constants.S_IXUSR | constants.S_IXGRP | constants.S_IXOTH;

export class DeclaredDevices {
  readonly #places: DeclaredPlaces;
  readonly #log: Log;
  /** Why a script may not run, by path, as it was logged. */
  readonly #refused = new Map<string, string>();
  #scripts: Declared<readonly string[]> = { is: "missing", reason: "the scripts have not been read yet" };
  #displays: Declared<WiredDisplays> = { is: "missing", reason: "the file has not been read yet" };

  private constructor(places: DeclaredPlaces, log: Log) {
    this.#places = places;
    this.#log = log;
  }

  /** Reads the current declarations. */
  static async open(places: DeclaredPlaces, log: Log): Promise<DeclaredDevices> {
    const devices = new DeclaredDevices(places, log);
    await devices.refresh();
    return devices;
  }

  /** The names of the scripts that may run. */
  get scripts(): Declared<readonly string[]> {
    return this.#scripts;
  }

  get displays(): Declared<WiredDisplays> {
    return this.#displays;
  }

  /** The path of a script. Call {@link refresh} before. Null if it may not run. */
  scriptPath(name: string): string | null {
    const { scripts } = this.#places;
    if (scripts === null || this.#scripts.is === "missing" || !this.#scripts.value.includes(name)) return null;
    return join(scripts, name);
  }

  /** Reads the declarations again every minute, until `signal` aborts. */
  async run(clock: Clock, signal: AbortSignal): Promise<never> {
    for (;;) {
      await clock.wait(readAgainMs, signal);
      await this.refresh();
    }
  }

  /** Reads the declarations again. A fault in them is logged once. */
  async refresh(): Promise<void> {
    const [scripts, displays] = await Promise.all([this.#readScripts(), this.#readDisplays()]);
    this.#report(this.#scripts, scripts);
    this.#report(this.#displays, displays);
    this.#scripts = scripts;
    this.#displays = displays;
  }

  #report(before: Declared<unknown>, now: Declared<unknown>): void {
    if (now.is === "missing" && (before.is === "declared" || before.reason !== now.reason)) {
      this.#log.debug({ reason: now.reason }, "nothing is declared on this device");
    }
  }

  async #readScripts(): Promise<Declared<readonly string[]>> {
    const { scripts: folder, ownerUid } = this.#places;
    if (folder === null) return { is: "missing", reason: "scripts are off: start signage-player with --allow-scripts" };
    try {
      if (!(await checkOwnedPath(folder, ownerUid)).isDirectory()) return { is: "missing", reason: `${folder} is not a folder` };
      const found: string[] = [];
      for (const name of (await readdir(folder)).toSorted()) {
        if (DeclaredName.safeParse(name).success && (await this.#isRunnable(join(folder, name)))) found.push(name);
      }
      return found.length === 0
        ? { is: "missing", reason: `${folder} has no script that may run` }
        : { is: "declared", value: found.slice(0, maxScripts) };
    } catch (error) {
      return { is: "missing", reason: hasErrorCode(error, "ENOENT") ? `there is no folder ${folder}` : reasonOf(error) };
    }
  }

  async #isRunnable(path: string): Promise<boolean> {
    try {
      const status = await checkOwnedPath(path, this.#places.ownerUid);
      return status.isFile() && (status.mode & anyExecute) !== 0;
    } catch (error) {
      const reason = reasonOf(error);
      // They are read every minute.
      if (this.#refused.get(path) !== reason) this.#log.warn({ path, reason }, "a script is not run");
      this.#refused.set(path, reason);
      return false;
    }
  }

  async #readDisplays(): Promise<Declared<WiredDisplays>> {
    const { wiredDisplays: path, ownerUid } = this.#places;
    try {
      await checkOwnedPath(path, ownerUid);
      const bytes = await readSafely(path, maxFileBytes);
      if (bytes === null) return { is: "missing", reason: `there is no file ${path}` };
      if (bytes.length > maxFileBytes) return { is: "missing", reason: `${path} is larger than ${maxFileBytes} bytes` };
      const parsed = WiredDisplays.safeParse(JSON.parse(bytes.toString("utf8")));
      if (parsed.success) return { is: "declared", value: parsed.data };
      return { is: "missing", reason: `${path}: ${describeRefusals(parsed.error)}` };
    } catch (error) {
      return { is: "missing", reason: hasErrorCode(error, "ENOENT") ? `there is no file ${path}` : `${path}: ${reasonOf(error)}` };
    }
  }
}
