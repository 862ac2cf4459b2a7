// The embedded service of a packaged player, with a process that a test scripts.
import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { EmbeddedService } from "../../../src/main/electron/embedded-service.ts";
import { diagnoseConnectivity } from "../../../src/player/link/connectivity-diagnosis.ts";
import { ServiceApi } from "../../../src/player/link/service-api.ts";
import { FakeClock } from "../../support/clock.ts";
import { startWebServer } from "../../support/network/web-server.ts";
import { waitUntil } from "../../support/polling.ts";

const { signal } = new AbortController();
const portOf = (origin: string): number => Number(new URL(origin).port);
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

test("[ELE10] while the embedded service does not listen, another program on its port gets no request of the player, and the screen says why", async () => {
  await using other = await startWebServer("127.0.0.1", {});
  await using own = await startWebServer("127.0.0.1", {});
  const clock = new FakeClock();
  const processes: ScriptedProcess[] = [];
  const fork = () => {
    processes.push(new ScriptedProcess());
    return processes.at(-1)!;
  };
  const ports: number[] = [];
  const options = {
    fork,
    forkMedia: noMedia,
    folder: "/none",
    port: portOf(other.origin),
    onPort: (port: number) => void ports.push(port),
  };
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
  expect([await ask(), api.shownOrigin, other.requests.length]).toEqual([isMissing, "", 0]);

  processes[0]!.emit("message", { listening: own.origin });
  await ask();
  expect([api.shownOrigin, own.requests.length, ports]).toEqual([own.origin, 1, [portOf(own.origin)]]);

  processes[0]!.emit("exit", 1);
  await waitUntil("the player knows that it has ended", () => api.shownOrigin === "");
  expect([await ask(), own.requests.length, other.requests.length]).toEqual([isMissing, 1, 0]);
});
