// The hosts the contract is put to, and why one is not there.
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { createSystemClock } from "../../src/base/clock.ts";
import type { Log } from "../../src/base/log.ts";
import { createChromiumHost } from "../../src/host/chromium/host.ts";
import { findChromium } from "../../src/host/chromium/find-chromium.ts";
import type { IframeLimits } from "../../src/host/iframes/limits.ts";
import type { Host, HostFault } from "../../src/player/host.ts";
import type { Framebuffer } from "../support/browser/framebuffer.ts";
import { startXvfb } from "../support/browser/xvfb.ts";
import { findElectron } from "../../src/main/engine.ts";
import { realBinary, standInBinary } from "../support/programs/electron-player.ts";
import { RemoteElectronHost } from "./electron-remote.ts";
import { frames, probe } from "./limits.ts";
import { everything, localRule, lookupOf, type Names } from "./names.ts";
import { processesNaming } from "./processes.ts";
import { startTestPageServer, type TestPageServer } from "./test-page-server.ts";

/** A host with all that is needed to look at it from outside. */
export interface HostFixture extends AsyncDisposable {
  host: Host;
  server: TestPageServer;
  /** What is on the glass; null where there is none. */
  framebuffer: Framebuffer | null;
  /** A folder that stands in the command line of each of the browser's processes. */
  folder: string;
  /** Every thing that the host has kept from happening, in order. */
  blocked: readonly string[];
  /** The next fault the host reports. */
  nextFault(): Promise<HostFault>;
}

/** How a stage may differ from a 1920x1080 display. */
export interface HostFixtureOptions {
  size?: { width: number; height: number };
  /** What content may reach of this machine, see `--allow-local`; by default all, because the sites of tests are served here. */
  allowLocal?: string;
  /** The addresses of names, one list for each time that a name is asked for; the last list stays. */
  names?: Names;
  /** What frames may take, where it is not what `limits.ts` says. */
  limits?: Partial<IframeLimits>;
}

/** A host to test; `missing` says why it cannot be. */
export interface HostUnderTest {
  name: string;
  missing: string | null;
  start(options?: HostFixtureOptions): Promise<HostFixture>;
}

const chromium = await findChromium().catch(() => null);
const fullHd = { width: 1920, height: 1080 };
const noXvfb = existsSync("/usr/bin/Xvfb") ? null : "no Xvfb is installed";
const noChromium = chromium === null ? "no Chromium is installed" : null;

export const headlessChromium: HostUnderTest = {
  name: "chromium headless",
  missing: noChromium,
  start: (options) => startChromium(true, options),
};

export const kioskChromium: HostUnderTest = {
  name: "chromium under Xvfb",
  missing: noChromium ?? noXvfb,
  start: (options) => startChromium(false, options),
};

/** The host for Electron over the stand-in for its binary (test/support/electron), on Debian's Chromium. */
const electronStandIn: HostUnderTest = {
  name: "electron host on the stand-in",
  missing: noChromium ?? noXvfb,
  start: (options) => startElectron(standInBinary, options),
};

const electron = realBinary ?? findElectron();

const electronUnderXvfb: HostUnderTest = {
  name: "electron under Xvfb",
  missing: electron === null ? "no Electron binary is here (npx install-electron fetches it)" : noXvfb,
  start: (options) => startElectron(electron!, options),
};

/** Subjects whose browser is the host's own process, so that nobody inside can end a browser that hangs. */
export const electrons: readonly HostUnderTest[] = [electronStandIn, electronUnderXvfb];

function startElectron(
  binary: string,
  { size = fullHd, allowLocal = everything, names = {}, limits = frames }: HostFixtureOptions = {},
): Promise<HostFixture> {
  return startStage(size, (folder, env, log) => new RemoteElectronHost(binary, folder, env, log, { allowLocal, names, limits }));
}

function startChromium(headless: boolean, options: HostFixtureOptions = {}): Promise<HostFixture> {
  const { size = fullHd, allowLocal = everything, names = {}, limits = frames } = options;
  return startStage(headless ? null : size, (folder, env, log) =>
    createChromiumHost({
      executable: chromium!,
      profileFolder: folder,
      headless,
      window: headless ? size : null,
      env,
      log,
      clock: createSystemClock(),
      probe,
      iframes: limits,
      mayReachLocal: localRule(allowLocal),
      lookup: lookupOf(names),
    }),
  );
}

/** @param size of the display; null for none. */
async function startStage(
  size: { width: number; height: number } | null,
  create: (folder: string, env: NodeJS.ProcessEnv, log: Log) => Host,
): Promise<HostFixture> {
  await using owned = new AsyncDisposableStack();
  const server = owned.use(await startTestPageServer());
  const display = size === null ? null : owned.use(await startXvfb(size));
  const folder = await temporaryFolder();
  owned.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const blocked: string[] = [];
  const host = owned.use(create(folder, { ...process.env, DISPLAY: display?.display }, logOfBlocked(blocked)));
  const faults = new FaultQueue(host);
  const all = owned.move();
  return {
    host,
    server,
    framebuffer: display?.framebuffer ?? null,
    folder,
    blocked,
    nextFault: () => faults.next(),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** A log that keeps nothing but what the host has kept from happening. */
function logOfBlocked(blocked: string[]): Log {
  const write = (line: string): void => {
    const { msg, what } = JSON.parse(line) as { msg: string; what?: string };
    if (msg === "blocked in the browser" && what !== undefined) blocked.push(what);
  };
  return pino({ level: "warn" }, { write });
}

/** A folder that the browser's own user may enter, so that it is used as it is. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "signage-host-"));
  await chmod(folder, 0o711);
  return folder;
}

/** The browser's processes of one type; all when `type` is left out. */
export async function browserProcesses(stage: HostFixture, type?: string): ReturnType<typeof processesNaming> {
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
