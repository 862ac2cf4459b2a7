// The hosts the contract is put to, and why one is not there.
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSystemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import { createChromiumHost } from "../../src/host/chromium.ts";
import { findChromium } from "../../src/host/chromium/find.ts";
import type { Host, HostFault } from "../../src/player/host.ts";
import type { Framebuffer } from "../support/framebuffer.ts";
import { startXvfb } from "../support/xvfb.ts";
import { findElectron, RemoteElectronHost } from "./electron-remote.ts";
import { processesNaming } from "./processes.ts";
import { startStageServer, type StageServer } from "./stage-server.ts";

/** Quick enough for a test, slow enough for two busy cores. */
const probe = { intervalMs: 200, limitMs: 600 };

/** The same for frames: a page that never loads is given up soon, and a little memory is too much. */
const frames = {
  loadMs: 8_000,
  partsMs: 1_000,
  blankMs: 2_000,
  probe: { intervalMs: 300, limitMs: 1_500 },
  memoryBytes: 100 * 1024 * 1024,
};

/** A host with all that is needed to look at it from outside. */
export interface Stage extends AsyncDisposable {
  host: Host;
  server: StageServer;
  /** What is on the glass; null where there is none. */
  glass: Framebuffer | null;
  /** A folder that stands in the command line of each of the browser's processes. */
  folder: string;
  /** The next fault the host reports. */
  nextFault(): Promise<HostFault>;
}

/** How a stage may differ from a 1920x1080 display. */
export interface StageOptions {
  size?: { width: number; height: number };
}

/** A host to test; `missing` says why it cannot be. */
export interface Subject {
  name: string;
  missing: string | null;
  start(options?: StageOptions): Promise<Stage>;
}

const chromium = await findChromium().catch(() => null);
const fullHd = { width: 1920, height: 1080 };
const noXvfb = existsSync("/usr/bin/Xvfb") ? null : "no Xvfb is installed";
const noChromium = chromium === null ? "no Chromium is installed" : null;

export const headlessChromium: Subject = {
  name: "chromium headless",
  missing: noChromium,
  start: (options) => startChromium(true, options),
};

export const kioskChromium: Subject = {
  name: "chromium under Xvfb",
  missing: noChromium ?? noXvfb,
  start: (options) => startChromium(false, options),
};

const electron = findElectron(process.env);

export const electronUnderXvfb: Subject = {
  name: "electron under Xvfb",
  missing: "missing" in electron ? electron.missing : noXvfb,
  start: ({ size = fullHd } = {}) =>
    startStage(size, (folder, env) => new RemoteElectronHost((electron as { path: string }).path, folder, env)),
};

function startChromium(headless: boolean, { size = fullHd }: StageOptions = {}): Promise<Stage> {
  return startStage(headless ? null : size, (folder, env) =>
    createChromiumHost({
      executable: chromium!,
      profileFolder: folder,
      headless,
      window: headless ? size : null,
      env,
      log: silentLog,
      clock: createSystemClock(),
      probe,
      frames,
    }),
  );
}

/** @param size of the display; null for none. */
async function startStage(
  size: { width: number; height: number } | null,
  create: (folder: string, env: NodeJS.ProcessEnv) => Host,
): Promise<Stage> {
  await using owned = new AsyncDisposableStack();
  const server = owned.use(await startStageServer());
  const display = size === null ? null : owned.use(await startXvfb(size));
  const folder = await temporaryFolder();
  owned.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const host = owned.use(create(folder, { ...process.env, DISPLAY: display?.display }));
  const faults = new FaultQueue(host);
  const all = owned.move();
  return {
    host,
    server,
    glass: display?.framebuffer ?? null,
    folder,
    nextFault: () => faults.next(),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** A folder that the browser's own user may enter, so that it is used as it is. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "signage-host-"));
  await chmod(folder, 0o711);
  return folder;
}

/** The browser's processes of one type; all when `type` is left out. */
export async function browserProcesses(stage: Stage, type?: string): ReturnType<typeof processesNaming> {
  return (await processesNaming(stage.folder)).filter((found) => type === undefined || found.type === type);
}

class FaultQueue {
  readonly #heard: HostFault[] = [];
  #wake: (() => void) | undefined;

  constructor(host: Host) {
    host.onFault((fault) => {
      this.#heard.push(fault);
      this.#wake?.();
    }, new AbortController().signal);
  }

  async next(): Promise<HostFault> {
    while (this.#heard.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.#heard.shift()!;
  }
}
