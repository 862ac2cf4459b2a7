// The hosts to test, and the reason if one is not available.
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
import { findElectron } from "../../src/main/player/engine.ts";
import { realBinary, standInBinary } from "../support/programs/electron-player.ts";
import { eventually } from "../support/polling.ts";
import { RemoteElectronHost } from "./electron-remote.ts";
import { HeldClock } from "./held-clock.ts";
import { capture, frames, probe } from "./limits.ts";
import { everything, localRule, lookupOf, type Names } from "./names.ts";
import { processesNaming } from "./processes.ts";
import { startTestPageServer, type TestPageServer } from "./test-page-server.ts";

/** A host with its page server and, if there is one, its screen. */
export interface HostFixture extends AsyncDisposable {
  host: Host;
  server: TestPageServer;
  /** The screen's picture; null without a screen. */
  framebuffer: Framebuffer | null;
  /** A folder that is in the command line of each of the browser's processes. */
  folder: string;
  /** Actions that the host has prevented, in order. */
  blocked: readonly string[];
  /** The limits of the host, which only the test ends. */
  time: HostTime;
  /** The next fault the host reports. */
  nextFault(): Promise<HostFault>;
  /** Forgets the faults that were reported so far. */
  forgetFaults(): void;
}

/** Ends limits of a host. Nothing else does, unless its time is the machine's (`onMachineTime`). */
export interface HostTime {
  /** Ends the host's waits of this duration (limits.ts), once there are `count` of them. */
  end(ms: number, count?: number): Promise<void>;
  /** Probes the page, which hangs: it misses the probe. */
  missProbe(): Promise<void>;
  /** How long the host waits for the page before a reload ends a page that hangs. */
  aliveMs: number;
}

/** Options of a host under test. */
export interface HostFixtureOptions {
  size?: Size;
  /** For tests whose limits end by themselves, on a quiet machine. */
  onMachineTime?: boolean;
  /** The services of this machine that content may connect to, see `--allow-local`; all by default, because test sites are served here. */
  allowLocal?: string;
  /** The addresses of names: one list for each lookup; the last list is repeated. */
  names?: Names;
  /** Limits for iframes that differ from `limits.ts`. */
  limits?: Partial<IframeLimits>;
}

/** A host to test; `missing` is the reason if it is not available. */
export interface HostUnderTest {
  name: string;
  missing: string | null;
  start(options?: HostFixtureOptions): Promise<HostFixture>;
}

const chromium = await findChromium().catch(() => null);
/** In pixels. */
export interface Size {
  width: number;
  height: number;
}

const usualSize: Size = { width: 1280, height: 720 };
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

/** The Electron host on the stand-in for Electron's binary (test/support/electron), which uses Debian's Chromium. */
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

/** Hosts that run in the browser's own process, so that they cannot end a browser that hangs. */
export const electrons: readonly HostUnderTest[] = [electronStandIn, electronUnderXvfb];

function startElectron(
  binary: string,
  { size = usualSize, allowLocal = everything, names = {}, limits = frames, onMachineTime = false }: HostFixtureOptions = {},
): Promise<HostFixture> {
  return startFixture(size, (folder, env, log) => {
    const host = new RemoteElectronHost(binary, folder, env, log, { allowLocal, names, limits, onMachineTime });
    const missProbe = async (): Promise<void> => {
      await host.endWaits(probe.intervalMs);
      await host.endWaits(probe.limitMs);
    };
    return { host, time: { end: (ms, count) => host.endWaits(ms, count), missProbe, aliveMs: probe.limitMs } };
  });
}

function startChromium(headless: boolean, options: HostFixtureOptions = {}): Promise<HostFixture> {
  const { size = usualSize, allowLocal = everything, names = {}, limits = frames, onMachineTime = false } = options;
  return startFixture(headless ? null : size, (folder, env, log) => {
    const clock = new HeldClock();
    const host = createChromiumHost({
      executable: chromium!,
      profileFolder: folder,
      display: { headless, window: headless ? size : null },
      env,
      log,
      clock: onMachineTime ? createSystemClock() : clock,
      limits: { probe, iframes: limits },
      network: { mayReachLocal: localRule(allowLocal), lookup: lookupOf(names) },
    });
    const missProbe = async (): Promise<void> => {
      const begun = clock.begun(probe.limitMs);
      await clock.end(probe.intervalMs);
      // The network service responds before the page is probed.
      await eventually(() => clock.begun(probe.limitMs) === begun + 2);
      await clock.end(probe.limitMs);
    };
    return { host, time: { end: (ms, count) => clock.end(ms, count), missProbe, aliveMs: capture.aliveMs } };
  });
}

/** @param size of the display; null for none. */
async function startFixture(
  size: Size | null,
  create: (folder: string, env: NodeJS.ProcessEnv, log: Log) => { host: Host; time: HostTime },
): Promise<HostFixture> {
  await using owned = new AsyncDisposableStack();
  const server = owned.use(await startTestPageServer());
  const display = size === null ? null : owned.use(await startXvfb(size));
  const folder = await temporaryFolder();
  owned.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const blocked: string[] = [];
  const { host, time } = create(folder, { ...process.env, DISPLAY: display?.display }, logOfBlocked(blocked));
  owned.use(host);
  const faults = new FaultQueue(host);
  const all = owned.move();
  return {
    host,
    server,
    framebuffer: display?.framebuffer ?? null,
    folder,
    blocked,
    time,
    nextFault: () => faults.next(),
    forgetFaults: () => faults.forget(),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** A log that keeps only the actions that the host has prevented. */
function logOfBlocked(blocked: string[]): Log {
  const write = (line: string): void => {
    const { msg, what } = JSON.parse(line) as { msg: string; what?: string };
    if (msg === "blocked in the browser" && what !== undefined) blocked.push(what);
  };
  return pino({ level: "warn" }, { write });
}

/** A temporary folder that the browser's user may enter, so that the host does not replace it. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "signage-host-"));
  await chmod(folder, 0o711);
  return folder;
}

/** The browser's processes of one type, or all. */
export async function browserProcesses(fixture: HostFixture, type?: string): ReturnType<typeof processesNaming> {
  return (await processesNaming(fixture.folder)).filter((found) => type === undefined || found.type === type);
}

class FaultQueue {
  readonly #received: HostFault[] = [];
  #wake: (() => void) | undefined;

  constructor(host: Host) {
    host.onFault((fault) => {
      this.#received.push(fault);
      this.#wake?.();
    }, new AbortController().signal);
  }

  async next(): Promise<HostFault> {
    while (this.#received.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.#received.shift()!;
  }

  forget(): void {
    this.#received.length = 0;
  }
}
