// The checks of a diagnosis against real servers, files and the page server.
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createServer as createHttp, type RequestListener, type Server } from "node:http";
import { createServer as createHttps } from "node:https";
import { createServer as createTcp, type AddressInfo } from "node:net";
import { createSecureContext } from "node:tls";
import { expect, test } from "vitest";
import { CorrectedClock, createSystemClock } from "../../../src/base/clock.ts";
import { directNetwork } from "../../../src/base/http/network.ts";
import { routeThrough } from "../../../src/base/http/proxy-route.ts";
import { diagnoseModule } from "../../../src/player/commands/modules/diagnose.ts";
import { type Check, type CheckReport, ok, runChecks } from "../../../src/player/diagnosis/checks.ts";
import { machineChecks } from "../../../src/player/diagnosis/machine-checks.ts";
import { networkChecks } from "../../../src/player/diagnosis/network-checks.ts";
import { pageChecks } from "../../../src/player/diagnosis/page-checks.ts";
import type { Link } from "../../../src/player/link/impairment.ts";
import { ServiceApi } from "../../../src/player/link/service-api.ts";
import type { Surface } from "../../../src/player/surface/surface.ts";
import { FakeClock } from "../../support/clock.ts";
import { eventually } from "../../support/polling.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { createSelfSignedCertificate } from "../../support/network/certificate.ts";

const clock = createSystemClock();
const never = new AbortController().signal;
const readyJson = JSON.stringify({ status: "ok" });

const asService: RequestListener = (request, response) => {
  response.setHeader("content-type", "application/json");
  response.end(request.url === "/readyz" ? readyJson : JSON.stringify({ filler: "x".repeat(500_000) }));
};

async function listening(server: Server): Promise<{ port: number } & AsyncDisposable> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: async () => (server.closeAllConnections(), void server.close()) };
}

interface Way {
  link?: Link | null;
  network?: ReturnType<typeof directNetwork>;
  machineTime?: number;
}

/** The reports of the network's checks, by name. */
async function examine(
  server: string,
  { link = { is: "online", since: 0 } as Link, network = directNetwork(), machineTime = Date.now() }: Way = {},
) {
  await using api = new ServiceApi(() => server, network);
  const checks = networkChecks({ api, clock, machineTime: () => machineTime, link: () => link });
  return byName(await runChecks(checks, clock, never));
}

function byName(reports: readonly CheckReport[]): Record<string, CheckReport> {
  return Object.fromEntries(reports.map((report) => [report.name, report]));
}

test("[DGN1] a service that is reached is reported with its connection, response time, socket and bandwidth", async () => {
  await using server = await listening(createHttp(asService));
  const found = await examine(`http://localhost:${server.port}`);
  expect(Object.fromEntries(Object.values(found).map(({ name, is }) => [name, is]))).toEqual({
    dns: "ok",
    proxy: "skipped",
    connection: "ok",
    certificate: "skipped",
    http: "ok",
    captive_portal: "ok",
    websocket: "ok",
    bandwidth: "ok",
  });
  expect(found["dns"]!.detail).toContain("127.0.0.1");
  expect(found["bandwidth"]!.detail).toMatch(/Mbit\/s .*500013 bytes/);
});

test("[DGN2] a name that does not exist, a port that refuses and a blocked socket are told apart, each with what to do", async () => {
  const unknown = await examine("http://no-such-host.invalid", { link: null });
  expect(unknown["dns"]).toMatchObject({ is: "failed", detail: expect.stringContaining("cannot be resolved") });
  expect(unknown["websocket"]).toMatchObject({ is: "skipped" });
  const closed = await listening(createHttp(asService));
  await closed[Symbol.asyncDispose]();
  const refused = await examine(`http://127.0.0.1:${closed.port}`, { link: { is: "polling", reason: "403" } });
  expect(refused["dns"]).toMatchObject({ is: "skipped" });
  for (const name of ["connection", "http", "bandwidth"]) {
    expect(refused[name], name).toMatchObject({ is: "failed", detail: expect.stringContaining("Nothing answers") });
  }
  expect(refused["captive_portal"]).toMatchObject({ is: "skipped" });
  expect(refused["websocket"]).toMatchObject({ is: "warning", detail: expect.stringContaining("403") });
});

test("[DGN3] a login page in the service's place is recognized", async () => {
  await using portal = await listening(
    createHttp((_request, response) => void response.writeHead(302, { location: "http://login.example/" }).end()),
  );
  const found = await examine(`http://127.0.0.1:${portal.port}`);
  expect(found["captive_portal"]).toMatchObject({ is: "failed", detail: expect.stringContaining("http://login.example/") });
  expect(found["http"]).toMatchObject({ is: "failed" });
});

test("[DGN4] a certificate is reported with its dates; one that the machine's clock makes invalid is blamed on the clock", async (context) => {
  await using folder = await temporaryFolder();
  const files = await createSelfSignedCertificate(folder.path);
  if (files === null) return context.skip("openssl is not installed");
  const [key, cert] = await Promise.all([readFile(files.key), readFile(files.cert)]);
  await using server = await listening(createHttps({ key, cert }, asService));
  const url = `https://localhost:${server.port}`;
  expect((await examine(url))["certificate"]).toMatchObject({
    is: "failed",
    detail: expect.stringMatching(/not trusted.*valid from \d{4}-/),
  });
  // The machine's clock stands before the first release of this program.
  const early = await examine(url, { machineTime: Date.UTC(1970, 0, 2) });
  expect(early["certificate"]).toMatchObject({ is: "failed", detail: expect.stringContaining("This device's clock says 1970-01-02") });
  const trusting = { ...directNetwork(), certificates: () => createSecureContext({ ca: cert }) };
  const trusted = await examine(url, { network: trusting });
  // It is made for two days.
  expect(trusted["certificate"]).toMatchObject({ is: "warning", detail: expect.stringMatching(/[12] days are left/) });
  expect(trusted["http"]).toMatchObject({ is: "ok" });
});

test("[DGN5] a proxy that cannot be reached is what failed, and what it replaces is not examined", async () => {
  const closed = await listening(createHttp(asService));
  await closed[Symbol.asyncDispose]();
  const network = { ...directNetwork(), route: async () => routeThrough(`http://127.0.0.1:${closed.port}`) };
  const found = await examine("https://signage.invalid", { network });
  expect(found["proxy"]).toMatchObject({ is: "failed" });
  expect(found["http"]).toMatchObject({ is: "failed", detail: expect.stringContaining("proxy") });
  for (const name of ["dns", "connection", "certificate"]) expect(found[name]).toMatchObject({ is: "skipped" });
});

test("[DGN6] the disk is measured by writing, syncing and reading, and nothing stays on it", async () => {
  await using folder = await temporaryFolder();
  const corrected = new CorrectedClock(clock);
  const found = byName(await runChecks(machineChecks({ clock: corrected, ntp: [], folder: folder.path }), clock, never));
  expect(found["disk"]!.detail).toMatch(/are free; 1 MB was written and synced in \d+ ms and read in \d+ ms/);
  expect(await readdir(folder.path)).toEqual([]);
  const missing = byName(await runChecks(machineChecks({ clock: corrected, ntp: [], folder: `${folder.path}/absent` }), clock, never));
  expect(missing["disk"]).toMatchObject({ is: "failed" });
});

test("[DGN7] the clock is reported with its correction, and a large one is a warning", async () => {
  await using folder = await temporaryFolder();
  const base = new FakeClock();
  const corrected = new CorrectedClock(base);
  const check = async () =>
    byName(await runChecks(machineChecks({ clock: corrected, ntp: [], folder: folder.path }), clock, never))["clock"]!;
  expect(await check()).toMatchObject({ is: "warning", detail: expect.stringContaining("not known yet") });
  const learn = (byMs: number): void => {
    const at = corrected.raw();
    corrected.learn({ t0: at, t1: at + byMs, t2: at + byMs, t3: at });
  };
  learn(40);
  expect(await check()).toMatchObject({ is: "ok", detail: expect.stringContaining("corrected by 40 ms") });
  learn(3_600_000);
  expect((await check()).is).toBe("warning");
});

test("[DGN8] codecs and frame rate come from the page, in one request; without a page they are skipped", async () => {
  const away = { page: { value: { is: "away", since: 0 } } } as unknown as Surface;
  expect(byName(await runChecks(pageChecks(away), clock, never))).toMatchObject({ codecs: { is: "skipped" }, frames: { is: "skipped" } });
  const codec = { is_supported: true, is_smooth: true, is_efficient: false };
  const surfaceWith = (codecs: object[], frames: number) => {
    let asked = 0;
    const listeners: ((message: unknown) => void)[] = [];
    const surface = {
      page: { value: { is: "here" } },
      onMessage: (listener: (message: unknown) => void) => void listeners.push(listener),
      measure: (id: string) => {
        asked += 1;
        for (const answered of [`not-${id}`, id]) {
          for (const listener of listeners) listener({ type: "measured", id: answered, codecs, frames, for_ms: 1_000 });
        }
      },
    } as unknown as Surface;
    return { surface, asked: () => asked };
  };
  const good = surfaceWith([{ name: "h264 1080p", ...codec }], 60);
  const found = byName(await runChecks(pageChecks(good.surface), clock, never));
  expect(found).toMatchObject({
    codecs: { is: "ok", detail: "h264 1080p: in software" },
    frames: { is: "ok", detail: "60.0 frames a second" },
  });
  expect(good.asked()).toBe(1);
  const bad = surfaceWith([{ name: "h264 1080p", ...codec, is_supported: false }], 0);
  expect(byName(await runChecks(pageChecks(bad.surface), clock, never))).toMatchObject({
    codecs: { is: "failed" },
    frames: { is: "failed" },
  });
});

test("[DGN9] a check that hangs or rejects is reported as failed and does not hold up the others; a cancelled diagnosis ends at once", async () => {
  const fake = new FakeClock();
  const quick: Check = { name: "quick", limitMs: 5_000, run: async () => ok("fine") };
  const broken: Check = { name: "broken", limitMs: 5_000, run: async () => Promise.reject(new Error("no such device")) };
  let isAborted = false;
  const hanging: Check = {
    name: "hanging",
    limitMs: 5_000,
    run: (signal) => {
      signal.addEventListener("abort", () => (isAborted = true));
      return new Promise(() => undefined);
    },
  };
  const running = runChecks([quick, hanging, broken], fake, never);
  // The others end first.
  await new Promise((resolve) => setImmediate(resolve));
  fake.advance(5_000);
  expect(await running).toEqual([
    { name: "quick", is: "ok", detail: "fine", took_ms: expect.any(Number) },
    { name: "hanging", is: "failed", detail: "no result within 5 s", took_ms: 5_000 },
    { name: "broken", is: "failed", detail: "no such device", took_ms: expect.any(Number) },
  ]);
  expect(isAborted).toBe(true);
  const cancel = new AbortController();
  const cancelled = diagnoseModule(() => [hanging], fake).run({ type: "diagnose", args: {}, id: "cmd", ttl_s: 60 } as never, cancel.signal);
  cancel.abort(new Error("cancelled"));
  await expect(cancelled).rejects.toThrow("cancelled");
});

test("[DGN10] a server that accepts the connection and says nothing fails only the checks that wait for it", async () => {
  const silent = createTcp((socket) => socket.on("error", () => undefined));
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  await using api = new ServiceApi(() => `http://127.0.0.1:${port}`);
  const checks = networkChecks({ api, clock, machineTime: Date.now, link: () => null });
  const fake = new FakeClock();
  const ends: string[] = [];
  const noted = checks.map((check) => ({ ...check, run: (end: AbortSignal) => check.run(end).finally(() => ends.push(check.name)) }));
  const running = runChecks(noted, fake, never);
  // Then the limits of those that wait for the server pass.
  await eventually(() => ["dns", "proxy", "connection", "certificate", "websocket"].every((name) => ends.includes(name)));
  fake.advance(60_000);
  const found = byName(await running);
  silent.close();
  expect(found["connection"]).toMatchObject({ is: "ok" });
  for (const name of ["http", "bandwidth"]) expect(found[name], name).toMatchObject({ is: "failed" });
});
