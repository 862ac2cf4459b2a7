// The real player in this process, in a real headless Chromium, by a clock that the test sets, and its page for the test's own hands.
import { chmod, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { WebSocket } from "ws";
import { directNetwork } from "../../src/base/http/network.ts";
import type { Clock } from "../../src/base/clock.ts";
import { findChromium } from "../../src/host/chromium/find-chromium.ts";
import { createChromiumHost } from "../../src/host/chromium/host.ts";
import { runPlayer, type PlayerEnd } from "../../src/player/player.ts";
import { temporaryFolder } from "./folder.ts";
import { builtRenderer } from "./page-build.ts";
import { fakeMachine, testConfig } from "./player.ts";
import { eventually } from "./polling.ts";
import { createLog, type LogLine } from "./recording-log.ts";

export interface ClockedPlayer extends AsyncDisposable {
  readonly lines: LogLine[];
  /** The code on its screen; waits for it. */
  pairingCode(): Promise<string>;
  /** Runs an expression in its page, and waits for the promise that it may be. */
  evaluate(expression: string): Promise<unknown>;
}

/**
 * Starts a player as its program does, with another clock and without a machine of its own.
 * @param window the size of its screen
 */
export async function startClockedPlayer(server: string, window: { width: number; height: number }, clock: Clock): Promise<ClockedPlayer> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await temporaryFolder());
  // As root, Chromium runs as another user.
  await chmod(folder.path, 0o755);
  const port = await freePort();
  const executable = join(folder.path, "chromium-with-port");
  await writeFile(executable, `#!/bin/sh\nexec ${await findChromium()} "$@" --remote-debugging-port=${port}\n`, { mode: 0o755 });
  const { log, lines } = createLog();
  const mayReachLocal = (host: string): boolean => host === "127.0.0.1";
  const profileFolder = join(folder.path, "profile");
  const display = { headless: true, window };
  const browser = { executable, profileFolder, env: process.env, display, network: { mayReachLocal }, clock, log };
  const host = opened.use(createChromiumHost(browser));
  const stop = new AbortController();
  const config = { ...testConfig(folder.path), rendererFolder: await builtRenderer(), mayReachLocal };
  const environment = {
    server: () => server,
    host,
    machine: fakeMachine(),
    settings: { rememberServer: async () => undefined },
    network: directNetwork(),
    supervise: null,
    clock,
    log,
  };
  const ended: Promise<PlayerEnd | Error> = runPlayer(config, environment, stop.signal).catch((error: unknown) => error as Error);
  opened.defer(async () => {
    stop.abort();
    await ended;
  });
  const disposal = opened.move();
  return {
    lines,
    async pairingCode() {
      const { code } = await eventually(() => lines.find(({ msg }) => msg === "pairing code") ?? null);
      return String(code);
    },
    evaluate: (expression) => evaluateInPage(port, expression),
    [Symbol.asyncDispose]: () => disposal.disposeAsync(),
  };
}

async function evaluateInPage(port: number, expression: string): Promise<unknown> {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as { type: string; webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(targets.find(({ type }) => type === "page")!.webSocketDebuggerUrl);
  try {
    await once(socket, "open");
    const params = { expression, awaitPromise: true, returnByValue: true };
    socket.send(JSON.stringify({ id: 1, method: "Runtime.evaluate", params }));
    const [raw] = (await once(socket, "message")) as [Buffer];
    const { result, error } = JSON.parse(raw.toString()) as {
      result?: { result: { value?: unknown }; exceptionDetails?: { exception?: { description?: string } } };
      error?: { message: string };
    };
    if (result === undefined || result.exceptionDetails !== undefined)
      throw new Error(`the page failed: ${result?.exceptionDetails?.exception?.description ?? error?.message ?? "unknown"}`);
    return result.result.value;
  } finally {
    socket.close();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
