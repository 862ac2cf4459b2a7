// Recovery with a real surface and a host without a browser, for a test that plays the page.
import { WebSocket } from "ws";
import { Fault } from "../../../src/base/fault.ts";
import { silentLog } from "../../../src/base/log.ts";
import { type Host, type HostFault, noBrowserMemory } from "../../../src/player/host.ts";
import { OutboundHttp } from "../../../src/base/http/outbound-http.ts";
import { contentPolicy } from "../../../src/player/web-items/outbound-policy.ts";
import { Recovery } from "../../../src/player/surface/recovery.ts";
import { Surface } from "../../../src/player/surface/surface.ts";
import { Restarts } from "../../../src/player/surface/restarts.ts";
import { DiskHealth } from "../../../src/player/storage/disk-health.ts";
import type { Machine } from "../../../src/player/machine.ts";
import type { FromPage } from "../../../src/protocol/page-messages.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { fakeMachine } from "../../support/player.ts";
import { eventually } from "../../support/polling.ts";

/** A disk whose last write a test waits for, because the fake clock would run far ahead of it. */
class SlowDisk extends DiskHealth {
  written: Promise<unknown> = Promise.resolve();

  override attempt(what: string, change: () => Promise<unknown>): Promise<boolean> {
    const done = super.attempt(what, change);
    this.written = done;
    return done;
  }
}

/** A surface and recovery without a browser. It records the calls to the host; the test sends faults and the page's messages. */
export async function openDisplay(about: Partial<Machine> = {}, isOffOnPurpose = () => false) {
  const clock = new FakeClock();
  const stop = new AbortController();
  const calls: string[] = [];
  let reportFault: (fault: HostFault) => void = () => undefined;
  const record = (call: string) => async (): Promise<void> => void calls.push(call);
  const host: Host = {
    pagePort: null,
    canDrawWithoutGpu: true,
    prepare: async () => undefined,
    open: async (_page, _signal, options) => {
      calls.push(options?.withoutGpu === true ? "open without GPU" : "open");
      return { name: "chromium", version: "1", headless: false };
    },
    reload: record("reload"),
    close: record("close"),
    capture: () => Promise.reject(new Fault("unsupported", "no browser")),
    memoryBytes: async () => 0,
    memoryByKind: async () => noBrowserMemory,
    setIframeSites: () => undefined,
    onIframeEvent: () => undefined,
    onFault: (listener) => void (reportFault = listener),
    [Symbol.asyncDispose]: async () => undefined,
  };
  const outside = new OutboundHttp({ policy: contentPolicy() });
  const surface = await Surface.open({
    owner: "recovery",
    port: null,
    rendererFolder: import.meta.dirname,
    media: () => null,
    stream: () => null,
    outboundHttp: outside,
    clock,
    log: silentLog,
  });
  const folder = await temporaryFolder();
  const machine = { ...fakeMachine(), ...about };
  const disk = new SlowDisk(silentLog);
  const restarts = await Restarts.open({
    folder: folder.path,
    machine,
    clock,
    disk,
    restartPlayer: () => void calls.push("restart player"),
  });
  const recovery = new Recovery({ host, surface, content: () => null, machine, isOffOnPurpose, restarts, clock, log: silentLog });
  const running = recovery.run(stop.signal);
  await eventually(() => calls.length === 1 && clock.pendingWaits > 0);
  const { url, cookie } = surface.hostPage;
  const { origin } = new URL(url);
  const page = async () => {
    const socket = new WebSocket(`${origin.replace("http", "ws")}/scene`, {
      headers: { cookie: `${cookie.name}=${cookie.value}`, origin },
    });
    await new Promise((resolve) => socket.once("open", resolve));
    let received = 0;
    surface.onMessage(() => (received += 1), stop.signal);
    return async (message: FromPage): Promise<void> => {
      const before = received;
      socket.send(JSON.stringify(message));
      await eventually(() => received > before);
    };
  };
  /** Advances the clock in steps, and lets the code that waits for it run. */
  const pass = async (ms: number, each: () => Promise<void> = async () => undefined, stepMs = 1_000): Promise<void> => {
    for (let left = ms; left > 0; left -= stepMs) {
      clock.advance(Math.min(left, stepMs));
      await each();
      await disk.written;
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  /** Makes the browser exit until `is` holds. */
  const failUntil = async (is: () => boolean): Promise<void> => {
    while (!is()) {
      reportFault({ is: "browser-exited", detail: "exit code 1" });
      await pass(10_000);
    }
  };
  return {
    calls,
    recovery,
    failUntil,
    page,
    pass,
    fail: (fault: HostFault) => reportFault(fault),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running.catch(() => undefined);
      await surface[Symbol.asyncDispose]();
      await outside[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

export const hello: FromPage = { type: "hello", viewport: { width: 1_920, height: 1_080, device_pixel_ratio: 1 } };
export const report = (frames: number): FromPage => ({ type: "beat", at: 1_000, frames });
