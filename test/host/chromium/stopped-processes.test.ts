// The watch over a browser's processes, with a scripted list of processes.
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { endStoppedProcesses } from "../../../src/host/chromium/stopped-processes.ts";
import type { SessionProcess } from "../../../src/host/chromium/session-processes.ts";
import { FakeClock } from "../../support/clock.ts";

const browser = { pid: 1, parent: 0, kind: "browser", isStopped: false };
const zygotes = [2, 3].map((pid) => ({ pid, parent: 1, kind: "zygote", isStopped: false }));
const page = { pid: 5, parent: 3, kind: "renderer", isStopped: false };

/** Watches processes that change with each reading. @returns what was done about them. */
async function watch(...readings: readonly SessionProcess[][]): Promise<string[]> {
  const clock = new FakeClock();
  const stop = new AbortController();
  const actions: string[] = [];
  let read = 0;
  const process = {
    pid: 1,
    input: new PassThrough(),
    output: new PassThrough(),
    exit: new Promise<string>(() => undefined),
    processes: async () => readings[Math.min(read++, readings.length - 1)]!,
    kill: () => void actions.push("kill the browser"),
    killProcess: (pid: number) => void actions.push(`kill process ${pid}`),
  };
  const ignored = (): void => undefined;
  const watching = endStoppedProcesses({ browser: process, clock, onStopped: ignored, onZygoteLost: ignored }, stop.signal);
  while (read <= readings.length && actions.length === 0) {
    clock.advance(3_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  stop.abort();
  await watching.catch(ignored);
  return actions;
}

test("[REC19] the browser is ended when any one of its zygotes, or all of them, have ended", async () => {
  for (const lost of [[2], [3], [2, 3]]) {
    const left = zygotes.filter(({ pid }) => !lost.includes(pid));
    expect(await watch([browser, ...zygotes, page], [browser, ...left, page])).toEqual(["kill the browser"]);
  }
  // It ended while its name was being read.
  const [first, second] = zygotes;
  const unknown = { ...first!, kind: "unknown" };
  expect(await watch([browser, ...zygotes], [browser, unknown, second!], [browser, second!])).toEqual(["kill the browser"]);
});

test("[REC19] a new process that still has the name of its zygote, and ends soon or gets its own name, is none", async () => {
  const started = { pid: 6, parent: 3, kind: "zygote", isStopped: false };
  const all = [browser, ...zygotes, page];
  expect(await watch(all, [...all, started], all, all)).toEqual([]);
  expect(await watch([...all, started], [...all, { ...started, kind: "renderer" }], all, all)).toEqual([]);
});

test("[REC12] a stopped process is ended when it is found twice, and with it the browser if it cannot replace the process", async () => {
  const all = [browser, ...zygotes, page];
  const hung = [browser, ...zygotes, { ...page, isStopped: true }];
  expect(await watch(all, hung, all, hung, all)).toEqual([]);
  expect(await watch(all, hung, hung)).toEqual(["kill process 5"]);
  expect(await watch(all, ...Array(2).fill([browser, { ...zygotes[0]!, isStopped: true }, ...zygotes.slice(1), page]))).toEqual([
    "kill the browser",
  ]);
});
