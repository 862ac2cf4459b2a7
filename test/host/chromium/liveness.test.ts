// Liveness over a DevTools pipe whose other end is a script: it answers all calls but those that a test makes it ignore.
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { watchLiveness } from "../../../src/host/chromium/liveness.ts";
import { PlayerPage } from "../../../src/host/chromium/page.ts";
import { DevToolsPipe } from "../../../src/host/chromium/pipe.ts";
import { FakeClock } from "../../support/clock.ts";

const page = { url: "http://127.0.0.1:1/player/", cookie: { name: "a", value: "b" } };

/**
 * Watches a scripted browser that shows the page. It keeps `cookies`, and ignores the methods in `unanswered`; `actions` is what was
 * done about that.
 */
async function watchBrowser() {
  const clock = new FakeClock();
  const stop = new AbortController();
  const { signal } = stop;
  const unanswered = new Set<string>();
  const actions: string[] = [];
  const cookies: object[] = [];
  const input = new PassThrough({ encoding: "utf8" });
  const output = new PassThrough();
  const send = (message: object): void => void output.write(`${JSON.stringify(message)}\0`);
  input.on("data", (text: string) => {
    for (const part of text.split("\0").filter((each) => each !== "")) {
      const { id, method, params, sessionId } = JSON.parse(part) as { id: number; method: string; params: object; sessionId?: string };
      if (unanswered.has(method)) continue;
      if (method === "Network.setCookie") cookies.push(params);
      send({ id, result: { sessionId: "page", cookies } });
      if (method === "Page.navigate") send({ method: "Page.frameNavigated", params: { frame: { url: page.url } }, sessionId });
    }
  });
  const pipe = new DevToolsPipe(input, output, clock, () => undefined);
  const onFault = ({ is }: { is: string }): void => void actions.push(is);
  const playerPage = await PlayerPage.attach({ pipe, targetId: "1", clock, signal, onFault, onBlocked: () => undefined });
  await playerPage.show(page, signal);
  const browser = {
    pid: 1,
    input,
    output,
    exit: new Promise<string>(() => undefined),
    processes: async () => [
      { pid: 2, parent: 1, kind: "gpu-process", isStopped: false },
      { pid: 3, parent: 1, kind: "network.mojom.NetworkService", isStopped: false },
    ],
    kill: () => void actions.push("kill the browser"),
    killProcess: (pid: number) => void actions.push(`kill process ${pid}`),
  };
  const probe = { intervalMs: 5_000, limitMs: 2_000 };
  const watching = watchLiveness({ browser, page: playerPage, pipe, clock, log: silentLog, probe, onFault }, signal);
  /** Advances the clock in steps of half a second, and lets the calls on the pipe complete. */
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 500) {
      clock.advance(500);
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return {
    actions,
    cookies,
    unanswered,
    pass,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await watching;
    },
  };
}

test("[HST38] a network service that misses two probes in a row is ended alone, within 15 s; one missed probe is no fault", async () => {
  await using at = await watchBrowser();
  at.unanswered.add("Network.getCookies");
  await at.pass(10_000);
  at.unanswered.clear();
  await at.pass(60_000);
  expect(at.actions).toEqual([]);
  at.unanswered.add("Network.getCookies");
  await at.pass(15_000);
  expect(at.actions).toEqual(["kill process 3"]);
});

test("[HST40] a network service that has lost the page's cookie gets it again within 6 s, once", async () => {
  await using at = await watchBrowser();
  const [cookie] = at.cookies;
  expect(cookie).toMatchObject({ url: page.url, ...page.cookie, httpOnly: true });
  at.cookies.length = 0;
  await at.pass(6_000);
  expect(at.cookies).toEqual([cookie]);
  await at.pass(60_000);
  expect(at.cookies).toEqual([cookie]);
});

test("[HST9] a page that misses two probes in a row is reported within 15 s, and nothing is ended", async () => {
  await using at = await watchBrowser();
  at.unanswered.add("Runtime.evaluate");
  await at.pass(15_000);
  expect(at.actions).toEqual(["page-hung"]);
});

test("[HST13] a browser that responds to nothing is killed, not its network service", async () => {
  await using at = await watchBrowser();
  for (const method of ["Network.getCookies", "Runtime.evaluate", "Browser.getVersion"]) at.unanswered.add(method);
  await at.pass(18_000);
  expect(at.actions).toEqual(["kill the browser"]);
});

test("[HST38] a page and a network service that miss one probe each are no fault", async () => {
  await using at = await watchBrowser();
  at.unanswered.add("Network.getCookies");
  await at.pass(7_500);
  at.unanswered.clear();
  at.unanswered.add("Runtime.evaluate");
  await at.pass(5_000);
  at.unanswered.clear();
  await at.pass(60_000);
  expect(at.actions).toEqual([]);
});
