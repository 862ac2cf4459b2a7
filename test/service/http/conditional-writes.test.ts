// What must hold when requests come at once or just in time: conditional writes have turns, a quota ends with its window.
import type { IncomingMessage } from "node:http";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { Context } from "../../../src/service/http/context.ts";
import { Gateway, noBytes } from "../../../src/service/http/gateway.ts";
import type { Operation, Parts } from "../../../src/service/operations/operation.ts";
import { defaultLimits, Quotas } from "../../../src/service/http/rate-limit.ts";
import { digestOf } from "../../../src/service/store/canonical-json.ts";
import { openStore } from "../../../src/service/store/store.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService, call, picture } from "../harness.ts";

test("[ISO8] of changes that come at once with the same If-Match exactly one is made; the others are told what it is now", async () => {
  await using folder = await temporaryFolder();
  await using bench = await TestService.start(folder.path);
  const { id } = (await bench.call("POST", "playlists", { name: "P" })).body;
  const path = `playlists/${id}`;
  const pictures = await Promise.all([16, 24, 32, 40].map((size) => picture("png", size)));
  for (let round = 0; round < 3; round += 1) {
    const etag = (await bench.call("GET", path)).headers.get("etag")!;
    const names = Array.from({ length: 12 }, (_, each) => `${round}-${each}`);
    // An upload holds the database for as long as its file takes to reach the disk: those who look meanwhile all wait.
    const uploads = Array.from({ length: 4 }, (_, each) => bench.upload(pictures[each]!, "image/png", `u${each}`));
    const answers = await Promise.all(names.map((name) => bench.call("PATCH", path, { name }, { "if-match": etag })));
    await Promise.all(uploads);
    const won = names.filter((_name, each) => answers[each]!.status === 200);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...names.slice(1).map(() => 412)]);
    const now = await bench.call("GET", path);
    expect(won).toEqual([now.body.name]);
    const lost = answers.filter(({ status }) => status === 412);
    expect(new Set(lost.map(({ headers }) => headers.get("etag")))).toEqual(new Set([now.headers.get("etag")]));
  }
});

test("[ISO8] a change and a deletion at once with the same If-Match: one of them is made, also beside a write without it", async () => {
  await using folder = await temporaryFolder();
  await using bench = await TestService.start(folder.path);
  for (let round = 0; round < 6; round += 1) {
    const made = await bench.call("POST", "playlists", { name: "P" });
    const path = `playlists/${made.body.id}`;
    const match = { "if-match": made.headers.get("etag")! };
    const change = () => bench.call("PATCH", path, { name: "Q" }, match);
    const removal = () => bench.call("DELETE", path, undefined, match);
    const both = round % 2 === 0 ? [change(), removal()] : [removal(), change()];
    const done = (await Promise.all(both)).filter(({ status }) => status < 300);
    expect(done).toHaveLength(1);
  }
});

test("[ISO8] a conditional write looks only when those before it have ended, however long they take, and whether or not they were refused", async () => {
  await using folder = await temporaryFolder();
  await using store = await openStore(folder.path);
  const parts = { store, clock: new FakeClock() } as unknown as Parts;
  const door = new Gateway(parts, defaultLimits);
  let version = 0;
  const each = {
    name: "change",
    method: "PATCH",
    caller: "device",
    status: 200,
    async current() {
      const seen = version;
      await setImmediate();
      return seen;
    },
    async run() {
      await setImmediate();
      version += 1;
      return { version };
    },
  } as unknown as Operation;
  const change = (match: number) => {
    const header = (name: string) => (name === "if-match" ? `"${digestOf(match)}"` : undefined);
    const call = { id: "req", address: "", url: "/", header, setHeaders: () => undefined, closedSignal: () => AbortSignal.timeout(1_000) };
    const input = { params: {}, query: {}, body: {}, bytes: noBytes, raw: {} as IncomingMessage };
    return door.answer(each, new Context(parts, call, {}), input, call);
  };
  const first = await Promise.allSettled([0, 0, 7, 0, 0].map(change));
  expect([first.map(({ status }) => status === "fulfilled"), version]).toEqual([[true, false, false, false, false], 1]);
  // Each that knows what the one before it made has its turn after it.
  const second = await Promise.allSettled([1, 2, 2, 3].map(change));
  expect([second.map(({ status }) => status === "fulfilled"), version]).toEqual([[true, true, false, true], 4]);
});

test("[ISO9] once the time that Retry-After names has passed a request is let in, with a full quota, and not before", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using bench = await TestService.start(folder.path, { clock, limits: { token: 3, player: 3, address: 3 } });
  const asked = {
    token: () => bench.call("GET", "me"),
    address: () => call(bench.service.url, "POST", "device/nonce", {}),
  };
  for (const ask of Object.values(asked)) {
    clock.advance(61_000);
    for (let window = 0; window < 3; window += 1) {
      const left = [];
      for (let each = 0; each < 3; each += 1) {
        const answer = await ask();
        expect(answer.status).toBeLessThan(300);
        left.push(/r=(\d+)/.exec(answer.headers.get("ratelimit")!)![1]);
        clock.advance(1_300);
      }
      expect(left).toEqual(["2", "1", "0"]);
      const full = await ask();
      const retryMs = Number(full.headers.get("retry-after")) * 1_000;
      expect([full.status, retryMs]).toEqual([429, 57_000]);
      // Whole seconds are told: of the last one a part may be left.
      clock.advance(retryMs - 1_000);
      expect((await ask()).status).toBe(429);
      clock.advance(1_000);
    }
  }
});

test("[ISO9] windows of a quota follow each other however late its key comes back, and what is refused takes nothing", () => {
  const clock = new FakeClock();
  const quotas = new Quotas("token", 2, clock);
  const take = () => quotas.take("a").waitMs;
  for (const laterMs of [60_000, 60_001, 3_600_000]) {
    expect([take(), take(), take(), take()]).toEqual([0, 0, 60_000, 60_000]);
    expect(quotas.take("a").headers["RateLimit"]).toBe('"token";r=0;t=60');
    clock.advance(59_999);
    expect(take()).toBe(1);
    clock.advance(laterMs - 59_999);
  }
  expect(take()).toBe(0);
});
