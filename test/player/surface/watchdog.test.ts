// The watchdog of frames, against a real surface whose page the test plays: no frame in time, and the browser is mended.
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { Fault } from "../../../src/base/fault.ts";
import { silentLog } from "../../../src/base/log.ts";
import type { Host } from "../../../src/player/host.ts";
import { OutboundHttp } from "../../../src/base/http/outbound-http.ts";
import { contentPolicy } from "../../../src/player/web-items/outbound-policy.ts";
import { Recovery } from "../../../src/player/surface/recovery.ts";
import { Surface } from "../../../src/player/surface/surface.ts";
import type { FromPage } from "../../../src/protocol/scene.ts";
import { FakeClock } from "../../support/clock.ts";
import { eventually } from "../../support/programs/programs.ts";

/** A player's glass without a browser: what recovery asks of the host is noted, and the test speaks for the page. */
async function glass() {
  const clock = new FakeClock();
  const stop = new AbortController();
  const asked: string[] = [];
  const note = (what: string) => async (): Promise<void> => void asked.push(what);
  const host: Host = {
    pagePort: null,
    prepare: async () => undefined,
    open: async () => {
      asked.push("open");
      return { name: "chromium", version: "1", headless: true };
    },
    reload: note("reload"),
    close: note("close"),
    capture: () => Promise.reject(new Fault("unsupported", "no browser")),
    memoryBytes: async () => 0,
    setIframeSites: () => undefined,
    onIframeEvent: () => undefined,
    onFault: () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
  const outside = new OutboundHttp({ policy: contentPolicy() });
  const surface = await Surface.open({
    owner: "watchdog",
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
  await eventually(() => asked.length === 1 && clock.pendingWaits > 0);
  const { url, cookie } = surface.hostPage;
  const { origin } = new URL(url);
  const page = async () => {
    const socket = new WebSocket(`${origin.replace("http", "ws")}/scene`, {
      headers: { cookie: `${cookie.name}=${cookie.value}`, origin },
    });
    await new Promise((resolve) => socket.once("open", resolve));
    let heard = 0;
    surface.onMessage(() => (heard += 1), stop.signal);
    return async (message: FromPage): Promise<void> => {
      const before = heard;
      socket.send(JSON.stringify(message));
      await eventually(() => heard > before);
    };
  };
  /** Lets time pass, in steps as short as the page's beats, and what hangs on it happen. */
  const pass = async (ms: number, each: () => Promise<void> = async () => undefined): Promise<void> => {
    for (let left = ms; left > 0; left -= 1_000) {
      clock.advance(Math.min(left, 1_000));
      await each();
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return {
    asked,
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
const beat = (frames: number): FromPage => ({ type: "beat", at: 1_000, frames });

test("[REC6] a page that beats and presents no frame is loaded anew after fifteen seconds; one that presents frames never is", async () => {
  await using at = await glass();
  const say = await at.page();
  await say(hello);
  await at.pass(100_000, () => say(beat(1)));
  expect([at.asked, at.recovery.display.value]).toEqual([["open"], { is: "showing" }]);
  await at.pass(14_000, () => say(beat(0)));
  expect(at.asked).toEqual(["open"]);
  await at.pass(2_000, () => say(beat(0)));
  expect([at.asked, at.recovery.display.value]).toEqual([["open", "reload"], { is: "recovering", fault: "no frame was presented" }]);
  // A frame says that it is mended.
  await say(hello);
  await say(beat(1));
  expect(at.recovery.display.value).toEqual({ is: "showing" });
});

test("[REC6] a page that falls silent is loaded anew, and after three times in vain the browser is started anew", async () => {
  await using at = await glass();
  const say = await at.page();
  await say(hello);
  await say(beat(1));
  await at.pass(31_000);
  expect(at.asked).toEqual(["open", "reload"]);
  await at.pass(100_000);
  expect(at.asked).toEqual(["open", "reload", "reload", "reload", "close", "open"]);
});

test("[REC6] a page that never comes, and one that never presents its first frame, are loaded anew after thirty seconds", async () => {
  await using none = await glass();
  await none.pass(29_000);
  expect(none.asked).toEqual(["open"]);
  await none.pass(2_000);
  expect(none.asked).toEqual(["open", "reload"]);
  await using dark = await glass();
  const say = await dark.page();
  await say(hello);
  await dark.pass(29_000, () => say(beat(0)));
  expect(dark.asked).toEqual(["open"]);
  await dark.pass(2_000, () => say(beat(0)));
  expect(dark.asked).toEqual(["open", "reload"]);
});
