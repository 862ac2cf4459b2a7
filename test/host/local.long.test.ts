// Framed sites cannot connect to this machine, by any kind of request and in any notation of its address, unless that is allowed.
import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { defaultLimits } from "../../src/host/iframes/limits.ts";
import type { IframeEvent } from "../../src/player/host.ts";
import { type Attacker, ownAddresses, type ProbeListeners, startAttacker, startProbeListeners, tracedKinds } from "../support/attack.ts";
import { waitUntil } from "../support/polling.ts";
import { frames } from "./limits.ts";
import type { Names } from "./names.ts";
import { electrons, headlessChromium, type HostFixture, type HostUnderTest } from "./hosts-under-test.ts";

const never = new AbortController().signal;
const limitMs = 60_000;

const names: Names = {
  "loopback.example": [["127.0.0.1"]],
  "mixed.example": [["93.184.216.34", "::1"]],
  "translated.example": [["64:ff9b::7f00:1"]],
};

// Attacks keep their process busy; this must not count as a hang.
const limits = { ...defaultLimits, ...frames, loadMs: 20_000, probe: { intervalMs: 60_000, limitMs: 5_000 } };
/** Every notation of this machine's address as the host of a URL. */
const spellings: Readonly<Record<string, string>> = {
  literal: "127.0.0.1",
  other: "127.0.0.9",
  short: "127.1",
  decimal: "2130706433",
  hexadecimal: "0x7f000001",
  localhost: "localhost",
  below: "foo.localhost",
  dotted: "localhost.",
  v6: "[::1]",
  mapped: "[::ffff:127.0.0.1]",
  translated: "[64:ff9b::7f00:1]",
  unspecified: "0.0.0.0",
  "unspecified-v6": "[::]",
  name: "loopback.example",
  "name-mixed": "mixed.example",
  "name-translated": "translated.example",
  ...Object.fromEntries(ownAddresses.map((address, at) => [`own-${at}`, address.includes(":") ? `[${address}]` : address])),
};

for (const hostUnderTest of [headlessChromium, ...electrons]) {
  if (hostUnderTest.missing === null) describe(hostUnderTest.name, { timeout: 120_000 }, () => reaching(hostUnderTest));
  else test.skip(`${hostUnderTest.name}: ${hostUnderTest.missing}`);
}

function reaching(hostUnderTest: HostUnderTest): void {
  let victim: ProbeListeners;
  let attacker: Attacker;
  beforeAll(async () => {
    victim = await startProbeListeners();
    attacker = await startAttacker("127.0.0.2");
  });
  afterAll(async () => {
    await attacker[Symbol.asyncDispose]();
    await victim[Symbol.asyncDispose]();
  });

  /** A host whose content may connect to the attacker's server and to `more` services of this machine. */
  async function open(more: readonly string[]): Promise<Shown> {
    const allowLocal = [new URL(attacker.origin).host, ...more].join(",");
    const fixture = await hostUnderTest.start({ allowLocal, names, limits, onMachineTime: true });
    const events: IframeEvent[] = [];
    fixture.host.onIframeEvent((one) => events.push(one), never);
    await fixture.host.open(fixture.server.page, never);
    return new Shown(fixture, events);
  }

  test("[PXY1] no kind of request of a framed page reaches this machine, however its address is written", async () => {
    await using shown = await open([]);
    const before = victim.arrivals();
    victim.requestedPaths.length = 0;
    const all = Object.entries(spellings);
    const inEveryWay = ["literal", ...(hostUnderTest === headlessChromium ? ["v6", "name", "own-0"] : [])];
    await shown.attack(attacker, targetsOf(all.filter(([name]) => inEveryWay.includes(name))));
    await shown.attack(attacker, targetsOf(all), 6);
    expect(victim.requestedPaths).toEqual([]);
    expect(victim.arrivals()).toEqual(before);
  });

  test("[PXY2] an allowed service of this machine is reached by every kind of request; others are not", async () => {
    // The player's page is at 127.0.0.1, which is never framed.
    await using shown = await open([`127.0.0.9:${victim.port}`, `loopback.example:${victim.port}`]);
    victim.requestedPaths.length = 0;
    const excepted = ["other", "name"];
    await shown.attack(attacker, targetsOf(Object.entries(spellings).filter(([name]) => [...excepted, "localhost"].includes(name))));
    const wanted = excepted.flatMap((name) => tracedKinds.map((kind) => `/${name}/${kind}`)).toSorted();
    const arrived = new Set(victim.requestedPaths.map((path) => path.replace(/\?.*/, "")));
    expect([...arrived].toSorted()).toEqual(wanted);
  });

  test("[PXY3] a page on this machine, or one that leads or redirects there, fails with a reason that names the setting", async () => {
    await using shown = await open([]);
    const before = victim.arrivals();
    const target = `http://127.0.0.9:${victim.port}/`;
    const to = encodeURIComponent(target);
    const setting = `--allow-local 127.0.0.9:${victim.port}`;
    for (const address of [
      target,
      `https://127.0.0.9:${victim.port}/`,
      `${attacker.origin}/go?${to}`,
      `${attacker.origin}/meta?${to}`,
      `${attacker.origin}/moves?${to}`,
    ]) {
      const frame = await shown.frame(address);
      expect(await shown.failureOf(frame), address).toMatchObject({ code: "load", detail: expect.stringContaining(setting) });
    }
    const named = await shown.frame(`http://localhost:${victim.port}/`);
    expect(await shown.failureOf(named)).toMatchObject({ detail: expect.stringContaining(`--allow-local localhost:${victim.port}`) });
    expect(victim.arrivals()).toEqual(before);
  });

  test("[PXY9] a page at the host's port is fetched without the proxy, and content that requests that port on this machine is rejected", async (context) => {
    await using fixture = await hostUnderTest.start({ allowLocal: new URL(attacker.origin).host, names, limits, onMachineTime: true });
    await fixture.host.prepare();
    const { pagePort } = fixture.host;
    if (pagePort === null) return context.skip("this host has no fixed page port");
    const requests: { path: string; connection: string | undefined; host: string | undefined }[] = [];
    const server = createServer(({ url = "", headers: { connection, host } }, response) => {
      requests.push({ path: url, connection, host });
      response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><body>page");
    }).listen(pagePort, "127.0.0.5");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    await once(server, "listening");
    await fixture.host.open({ url: `http://127.0.0.5:${pagePort}/page`, cookie: { name: "x", value: "y" } }, never);
    await waitUntil("the page is requested", () => requests.some(({ path }) => path === "/page"), limitMs);
    // The proxy would use a separate connection for each request.
    expect(requests.find(({ path }) => path === "/page")).toMatchObject({ connection: "keep-alive" });
    await expect(fetch(`http://127.0.0.1:${pagePort}/`).then(({ status }) => status)).resolves.toBe(400);
  });

  function targetsOf(asked: readonly (readonly [string, string])[]): Record<string, string> {
    return Object.fromEntries(asked.map(([name, host]) => [name, `http://${host}:${victim.port}`]));
  }
}

/** A host with an open page, and the events of its iframes. */
class Shown implements AsyncDisposable {
  readonly #fixture: HostFixture;
  readonly #events: readonly IframeEvent[];
  #serial = 0;

  constructor(fixture: HostFixture, events: readonly IframeEvent[]) {
    this.#fixture = fixture;
    this.#events = events;
  }

  /** Declares the site of `url` and adds an iframe for it. Resolves with the iframe's name. */
  async frame(url: string): Promise<string> {
    const id = `site${++this.#serial}`;
    const name = `${id}.1`;
    this.#fixture.host.setIframeSites([{ id, url, headers: {}, css: null, isConfinedToOrigin: false }]);
    const given = JSON.stringify({ name, src: url });
    const style = "position:fixed;left:0;top:0;width:300px;height:200px";
    const sandbox = "allow-scripts allow-same-origin allow-forms";
    await this.#fixture.server.run(`new Promise((done) => {
      const frame = Object.assign(document.createElement("iframe"), ${given});
      frame.setAttribute("sandbox", "${sandbox}");
      frame.style.cssText = "${style}";
      document.body.append(frame);
      done();
    })`);
    await waitUntil(`${name} is reported`, () => this.#events.some(({ frame }) => frame === name), limitMs);
    return name;
  }

  /** Frames the attacker's page, and removes it when it has tried all these targets. */
  async attack(attacker: Attacker, targets: Readonly<Record<string, string>>, maxKinds?: number): Promise<void> {
    const { ended } = attacker;
    await this.frame(attacker.attack(targets, maxKinds));
    await waitUntil("the attack is over", () => attacker.ended > ended, limitMs).catch((error: unknown) => {
      throw new Error(`events: ${JSON.stringify(this.#events)}`, { cause: error });
    });
    await this.#fixture.server.run("document.querySelectorAll('iframe').forEach((frame) => frame.remove())");
  }

  async failureOf(frame: string): Promise<IframeEvent> {
    const wanted = (): IframeEvent | undefined => this.#events.find((one) => one.frame === frame && one.is === "failed");
    await waitUntil(`${frame} failed; events: ${JSON.stringify(this.#events)}`, () => wanted() !== undefined, limitMs);
    return wanted()!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#fixture[Symbol.asyncDispose]();
  }
}
