// Recovery without frames, with a real surface and a test that plays the page: a page that presents no frame is reloaded.
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { Fault } from "../../../src/base/fault.ts";
import { silentLog } from "../../../src/base/log.ts";
import type { Host } from "../../../src/player/host.ts";
import { OutboundHttp } from "../../../src/base/http/outbound-http.ts";
import { contentPolicy } from "../../../src/player/web-items/outbound-policy.ts";
import { Recovery } from "../../../src/player/surface/recovery.ts";
import { Surface } from "../../../src/player/surface/surface.ts";
import type { FromPage } from "../../../src/protocol/page-messages.ts";
import { FakeClock } from "../../support/clock.ts";
import { eventually } from "../../support/polling.ts";

/** A surface and recovery without a browser. It records the calls to the host, and the test sends the page's messages. */
async function openDisplay() {
  const clock = new FakeClock();
  const stop = new AbortController();
  const calls: string[] = [];
  const record = (call: string) => async (): Promise<void> => void calls.push(call);
  const host: Host = {
    pagePort: null,
    prepare: async () => undefined,
    open: async () => {
      calls.push("open");
      return { name: "chromium", version: "1", headless: true };
    },
    reload: record("reload"),
    close: record("close"),
    capture: () => Promise.reject(new Fault("unsupported", "no browser")),
    memoryBytes: async () => 0,
    setIframeSites: () => undefined,
    onIframeEvent: () => undefined,
    onFault: () => undefined,
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
  const recovery = new Recovery({ host, surface, clock, log: silentLog });
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
  /** Advances the clock in steps of a second, and lets the code that waits for it run. */
  const pass = async (ms: number, each: () => Promise<void> = async () => undefined): Promise<void> => {
    for (let left = ms; left > 0; left -= 1_000) {
      clock.advance(Math.min(left, 1_000));
      await each();
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return {
    calls,
    recovery,
    page,
    pass,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running.catch(() => undefined);
      await surface[Symbol.asyncDispose]();
      await outside[Symbol.asyncDispose]();
    },
  };
}

const hello: FromPage = { type: "hello", viewport: { width: 1_920, height: 1_080, device_pixel_ratio: 1 } };
const report = (frames: number): FromPage => ({ type: "beat", at: 1_000, frames });

test("[REC6] a page that reports but presents no frame is reloaded after fifteen seconds; a page that presents frames never is", async () => {
  await using display = await openDisplay();
  const send = await display.page();
  await send(hello);
  await display.pass(100_000, () => send(report(1)));
  expect([display.calls, display.recovery.display.value]).toEqual([["open"], { is: "showing" }]);
  await display.pass(14_000, () => send(report(0)));
  expect(display.calls).toEqual(["open"]);
  await display.pass(2_000, () => send(report(0)));
  expect([display.calls, display.recovery.display.value]).toEqual([
    ["open", "reload"],
    { is: "recovering", fault: "no frame was presented" },
  ]);
  // A frame proves that the page works again.
  await send(hello);
  await send(report(1));
  expect(display.recovery.display.value).toEqual({ is: "showing" });
});

test("[REC6] a page that stops reporting is reloaded, and after three failed reloads the browser is restarted", async () => {
  await using display = await openDisplay();
  const send = await display.page();
  await send(hello);
  await send(report(1));
  await display.pass(31_000);
  expect(display.calls).toEqual(["open", "reload"]);
  await display.pass(100_000);
  expect(display.calls).toEqual(["open", "reload", "reload", "reload", "close", "open"]);
});

test("[REC6] a page that never connects, and one that never presents a frame, are reloaded after thirty seconds", async () => {
  await using none = await openDisplay();
  await none.pass(29_000);
  expect(none.calls).toEqual(["open"]);
  await none.pass(2_000);
  expect(none.calls).toEqual(["open", "reload"]);
  await using dark = await openDisplay();
  const send = await dark.page();
  await send(hello);
  await dark.pass(29_000, () => send(report(0)));
  expect(dark.calls).toEqual(["open"]);
  await dark.pass(2_000, () => send(report(0)));
  expect(dark.calls).toEqual(["open", "reload"]);
});
