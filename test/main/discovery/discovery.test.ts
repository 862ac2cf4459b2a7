// DNS-SD on the loopback interface alone: no packet leaves this machine.
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { expect, test } from "vitest";
import { createSystemClock } from "../../../src/base/clock.ts";
import { createLog } from "../../../src/base/log.ts";
import { announceService } from "../../../src/main/discovery/announce.ts";
import { findServices, listServices } from "../../../src/main/discovery/find.ts";
import type { FoundService } from "../../../src/protocol/device/discovery.ts";
import { readServiceConfig } from "../../../src/main/service.ts";

const log = await createLog("test", "silent");
const clock = createSystemClock();

/** A multicast port of its own on loopback. */
async function loopback(): Promise<{ port: number; interface: string; bind: string }> {
  const socket = createSocket("udp4").bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address();
  socket.close();
  await once(socket, "close");
  return { port, interface: "127.0.0.1", bind: "0.0.0.0" };
}

const lobby = { name: "Lobby", port: 8443, host: "127.0.0.1", text: { path: "/", tls: "1", version: "1.2.3" } } as const;

/** Follows what is found until `isWanted`. */
async function until(network: object, isWanted: (services: FoundService[]) => boolean, act?: () => void): Promise<FoundService[]> {
  const end = new AbortController();
  const { promise, resolve } = Promise.withResolvers<FoundService[]>();
  const searching = findServices((services) => (isWanted(services) ? resolve(services) : undefined), { clock, log, network }, end.signal);
  act?.();
  const found = await promise;
  end.abort();
  await expect(searching).rejects.toThrow(/abort/i);
  return found;
}

test("[DSD1] a service that listens beyond this machine is found with its name and address, and no longer once it has stopped", async () => {
  const network = await loopback();
  const service = announceService(lobby, network, log);
  await using _other = announceService(
    { ...lobby, name: "Café. 2nd floor", port: 80, text: { url: "https://signage.example.org" } },
    network,
    log,
  );
  const found = await until(network, (services) => services.length === 2);
  expect(found).toEqual([
    { name: "Café. 2nd floor", url: "https://signage.example.org" },
    { name: "Lobby", url: "https://127.0.0.1:8443" },
  ]);
  let hasBoth = false;
  const left = await until(network, (services) => {
    if (services.length === 2 && !hasBoth) {
      hasBoth = true;
      void service[Symbol.asyncDispose]();
    }
    return hasBoth && services.length === 1;
  });
  expect(left.map(({ name }) => name)).toEqual(["Café. 2nd floor"]);
});

test("[DSD2] announcements that are no service's, and hidden characters in names, do not reach people", async () => {
  const network = await loopback();
  await using _hostile = announceService({ ...lobby, name: "bad", text: { url: "javascript:alert(1)" } }, network, log);
  await using _path = announceService({ ...lobby, name: "a‮b", text: {} }, network, log);
  const found = await until(network, (services) => services.length === 2);
  // The first one's text is ignored; its host and port are believed.
  expect(found.map(({ name }) => name)).toEqual(["a�b", "bad"]);
  expect(found.every(({ url }) => url === "http://127.0.0.1:8443")).toBe(true);
});

test("[DSD3] looking for services ends at its time limit, also where there are none", async () => {
  expect(await listServices(50, { clock, log, network: await loopback() }, new AbortController().signal)).toEqual([]);
});

test("[DSD4] --no-announce keeps a service from being announced", () => {
  expect(readServiceConfig(["--host", "0.0.0.0", "--insecure-http", "--no-announce"]).announce).toBe(false);
  expect(readServiceConfig(["--host", "0.0.0.0", "--insecure-http"]).announce).toBe(true);
  expect(readServiceConfig([]).announce).toBe(false);
});
