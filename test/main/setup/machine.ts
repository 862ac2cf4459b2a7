// A machine's files in a temporary folder, and its commands as scripts that note how they were called.
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { createLog } from "../../../src/base/log.ts";
import { readSetupConfig } from "../../../src/main/setup/setup-flags.ts";
import { runSetup } from "../../../src/main/setup/setup.ts";
import type { FoundService } from "../../../src/protocol/device/discovery.ts";
import { temporaryFolder } from "../../support/folder.ts";

const log = await createLog("setup", "silent");

/** Notes its arguments. `mount` shows the folder `stick` in the mount point. */
const scripts = {
  systemctl: "",
  nmcli: "",
  mount: 'for at; do :; done; cp -a "$ROOT/stick/." "$at"',
  umount: 'for at; do :; done; rm -rf "$at"/* "$at"/.[!.]*',
};

/** A machine with NetworkManager, tzdata and the user of the player. */
export class TestMachine implements AsyncDisposable {
  readonly root: string;
  readonly #folder: AsyncDisposable;
  services: FoundService[] = [];
  silence: string | null = null;

  private constructor(folder: { path: string } & AsyncDisposable) {
    this.root = folder.path;
    this.#folder = folder;
  }

  static async create(): Promise<TestMachine> {
    const machine = new TestMachine(await temporaryFolder());
    const { uid, gid } = { uid: process.getuid!(), gid: process.getgid!() };
    await machine.write("etc/passwd", `root:x:0:0::/root:/bin/sh\nsignage:x:${uid}:${gid}::/nonexistent:/bin/false\n`);
    for (const zone of ["Europe/Berlin", "Europe/London"]) await machine.write(`usr/share/zoneinfo/${zone}`, "TZif");
    await machine.write("etc/NetworkManager/NetworkManager.conf", "");
    for (const [name, script] of Object.entries(scripts)) {
      await machine.write(`bin/${name}`, `#!/bin/sh\necho "${name} $*" >> "$ROOT/calls"\n${script}\n`);
      await chmod(machine.at(`bin/${name}`), 0o755);
    }
    return machine;
  }

  at(path: string): string {
    return join(this.root, path);
  }

  async write(path: string, text: string): Promise<void> {
    await mkdir(dirname(this.at(path)), { recursive: true });
    await writeFile(this.at(path), text);
  }

  /** The text of a file; null when it is missing. */
  read(path: string): Promise<string | null> {
    return readFile(this.at(path), "utf8").catch(() => null);
  }

  /** The commands that were run, one a line. */
  async calls(): Promise<string[]> {
    return ((await this.read("calls")) ?? "").split("\n").filter((line) => line !== "");
  }

  /** Runs setup with these flags. @param answers what a person types, if there is one. @returns what was printed. */
  async setup(argv: readonly string[], answers?: readonly string[]): Promise<string> {
    const output = Object.assign(new PassThrough(), { isTTY: answers !== undefined });
    const input = new PassThrough();
    for (const answer of answers ?? []) input.write(`${answer}\n`);
    await runSetup(readSetupConfig(argv), log, new AbortController().signal, {
      root: this.root,
      uid: 0,
      env: { PATH: `${this.at("bin")}:/usr/bin:/bin`, ROOT: this.root },
      terminal: { input, output },
      findServices: async () => this.services,
      probe: async () => this.silence,
    });
    return String(output.read() ?? "");
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#folder[Symbol.asyncDispose]() as Promise<void>;
  }
}
