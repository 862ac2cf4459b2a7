// The embedded service of a packaged player, with a process that a test scripts.
import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { EmbeddedService } from "../../../src/main/electron/embedded-service.ts";
import { diagnoseConnectivity } from "../../../src/player/link/connectivity-diagnosis.ts";
import { ServiceApi } from "../../../src/player/link/service-api.ts";
import { FakeClock } from "../../support/clock.ts";

const { signal } = new AbortController();
const noMedia = (): never => {
  throw new Error("no file is examined");
};

/** Stands for the service's process: it reports and ends when the test says so. */
class ScriptedProcess extends EventEmitter {
  postMessage(message: unknown): void {
    if (message === "stop") this.emit("exit", 0);
  }

  kill(): boolean {
    return this.emit("exit", 1);
  }
}

/** A program that listens on a port of this machine and counts the requests that reach it. */
async function startListener() {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    requests: () => requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

test("[ELE10] while the embedded service does not listen, another program on its port gets no request of the player, and the screen says why", async () => {
  await using other = await startListener();
  await using own = await startListener();
  const clock = new FakeClock();
  const processes: ScriptedProcess[] = [];
  const fork = () => {
    processes.push(new ScriptedProcess());
    return processes.at(-1)!;
  };
  const ports: number[] = [];
  const options = { fork, forkMedia: noMedia, folder: "/none", port: other.port, onPort: (port: number) => void ports.push(port) };
  const starting = EmbeddedService.start({ ...options, clock, log: silentLog }, signal);
  // The player starts even without it.
  clock.advance(10_000);
  await using service = await starting;
  await using api = new ServiceApi(() => service.address);
  const ask = () =>
    api.nonce(signal).then(
      () => null,
      (error: unknown) => diagnoseConnectivity(error, api.server, 0, null).text,
    );
  const isMissing = "The service in this program is not running yet. The screen tries again by itself.";
  expect([await ask(), api.origin, other.requests()]).toEqual([isMissing, "", 0]);

  processes[0]!.emit("message", { listening: own.url });
  await ask();
  expect([api.origin, own.requests(), ports]).toEqual([own.url, 1, [own.port]]);

  processes[0]!.emit("exit", 1);
  await Promise.resolve();
  expect([await ask(), own.requests(), other.requests()]).toEqual([isMissing, 1, 0]);
});
