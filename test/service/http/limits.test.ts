// Rate limits per token, player and address, limits of wrong pairing codes, and trusted proxies.
import fc from "fast-check";
import { expect, test } from "vitest";
import { readServiceConfig } from "../../../src/main/service.ts";
import { pairingCodeAlphabet } from "../../../src/protocol/pairing-code.ts";
import { limitsInMemory } from "../../../src/service/http/limits/limits-in-memory.ts";
import { GuessLimiter, maxWrongGuessesPerMinute } from "../../../src/service/fleet/pairing/guess-limiter.ts";
import { codeLifetimeMs } from "../../../src/service/fleet/pairing/requests.ts";
import { ProblemError } from "../../../src/service/http/problem.ts";
import { addressKey, Quotas } from "../../../src/service/http/limits/rate-limit.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService, call, type ApiResponse } from "../harness.ts";
import { inviteMember, owner, createTokenFor } from "../people/people.ts";

const quota = (answer: ApiResponse) => [answer.headers.get("ratelimit-policy"), answer.headers.get("ratelimit")];

test("[TOK9] every response to an operator has the remaining quota of the minute; above it the response is 429 with Retry-After", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock, limits: { token: 5 } });
  const get = () => api.call("GET", "players");
  expect(quota(await get())).toEqual(['"token";q=5;w=60', '"token";r=4;t=60']);
  clock.advance(20_500);
  expect(quota(await api.call("GET", "players/nonsense"))[1]).toBe('"token";r=3;t=40');
  expect(quota(await api.call("POST", "playlists", { nonsense: 1 }))[1]).toBe('"token";r=2;t=40');
  const other = await createTokenFor(api, await owner(api), ["layouts:read"]);
  const full = await get();
  expect([full.status, full.body.type, full.headers.get("retry-after")]).toEqual([429, "/problems/too-many", "40"]);
  expect(quota(full)[1]).toBe('"token";r=0;t=40');
  const scarce = await other.call("GET", "players");
  expect([scarce.status, quota(scarce)[1]]).toEqual([403, '"token";r=4;t=60']);
  clock.advance(39_500);
  expect((await get()).status).toBe(200);
});

test("[TOK9] a token has 600 requests per minute by default", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, { limits: {} });
  expect(quota(await api.call("GET", "me"))[0]).toBe('"token";q=600;w=60');
  const read = (...flags: string[]) => readServiceConfig(["--data", "/tmp/x", ...flags]).limits;
  expect([read(), read("--requests-per-minute", "1200")]).toEqual([{}, { token: 1_200 }]);
  for (const bad of ["0", "-1", "many", "1.5"]) expect(() => read("--requests-per-minute", bad)).toThrow("--requests-per-minute");
});

test("[TOK10] callers without a token share the limit of their address, each player has its own, and a valid token is not affected", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock, limits: { address: 8, player: 2 } });
  const device = await api.pairDevice();
  const state = () => device.call("GET", "state");
  expect(quota(await state())[1]).toBe('"player";r=1;t=60');
  await state();
  expect((await state()).status).toBe(429);
  const wrong = () => call(api.service.url, "GET", "players", undefined, { authorization: "Bearer x" });
  const answers: ApiResponse[] = [];
  while (answers.at(-1)?.status !== 429) answers.push(await wrong());
  expect(answers.slice(0, -1).map(({ status }) => status)).toEqual(answers.slice(1).map(() => 401));
  expect(answers.length).toBeGreaterThan(1);
  expect((await call(api.service.url, "POST", "device/nonce", {})).status).toBe(429);
  // A client with a valid token is not affected by others at the same address.
  expect((await api.call("GET", "players")).status).toBe(200);
});

test("[TOK11] the memory used for rate limits is bounded, and expired windows are removed", () => {
  const clock = new FakeClock();
  const quotas = new Quotas("address", 2, clock);
  for (let each = 0; each < 25_000; each += 1) quotas.take(`a${each}`);
  expect(quotas.size).toBe(10_000);
  clock.advance(60_001);
  quotas.take("b");
  expect(quotas.size).toBe(1);
  expect([quotas.take("b").waitMs, quotas.take("b").waitMs, quotas.size]).toEqual([0, 60_000, 1]);
});

test("[TOK12] all addresses of an IPv6 /64 count as one address, and an IPv4-mapped address counts as its IPv4 address", () => {
  expect(addressKey("::ffff:192.0.2.7")).toBe("192.0.2.7");
  expect(addressKey("2001:db8:1:2::1")).toBe(addressKey("2001:db8:1:2:ffff::9"));
  expect(addressKey("2001:db8:1:2::1")).not.toBe(addressKey("2001:db8:1:3::1"));
  expect(addressKey("fe80::1%eth0")).toBe(addressKey("fe80::2"));
  expect(addressKey("no address; DROP")).toBe("unknown");
});

test("[TOK13] five wrong codes per minute are allowed for a user over all tokens, and for an address and team over all users", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock, trustedProxies: ["127.0.0.1"] });
  const first = await owner(api);
  const second = await createTokenFor(api, first, ["players:write"]);
  const editor = await inviteMember(api, first, "editor");
  const guess = async (person: typeof first, from: string, code = "BBBB-BBBB") =>
    (await person.call("POST", "players/pair", { code, name: "x" }, { "x-forwarded-for": from })).status;
  const statuses = [];
  for (let each = 0; each < 6; each += 1) statuses.push(await guess(each % 2 === 0 ? first : second, `198.51.100.${each}`));
  expect(statuses).toEqual([404, 404, 404, 404, 404, 429]);
  for (let each = 0; each < 5; each += 1) await guess(editor, "203.0.113.9");
  clock.advance(30_000);
  const third = await inviteMember(api, first, "editor", "third");
  expect(await guess(third, "203.0.113.9")).toBe(429);
  expect(await guess(third, "203.0.113.10")).toBe(404);
  clock.advance(30_001);
  expect(await guess(first, "198.51.100.1")).toBe(404);
});

test("[TOK13] concurrent wrong codes are counted one by one, and a correct code does not count", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const right = await Promise.all(Array.from({ length: 7 }, () => api.newDevice()));
  const paired = await Promise.all(right.map(({ grant }) => api.call("POST", "players/pair", { code: grant.user_code, name: "x" })));
  expect(paired.map(({ status }) => status)).toEqual(paired.map(() => 201));
  const wrong = await Promise.all(Array.from({ length: 20 }, () => api.call("POST", "players/pair", { code: "BBBB-BBBB", name: "x" })));
  expect(wrong.filter(({ status }) => status === 404)).toHaveLength(maxWrongGuessesPerMinute);
  expect(wrong.filter(({ status }) => status === 429)).toHaveLength(20 - maxWrongGuessesPerMinute);
});

test("[TOK14] however guesses are distributed over the lifetime of a code, the probability of a hit stays below 2⁻²⁸", async () => {
  const attempt = fc.record({ waitMs: fc.integer({ min: 0, max: 30_000 }), burst: fc.integer({ min: 1, max: 12 }) });
  const plan = fc.record({
    attempts: fc.array(attempt, { minLength: 20, maxLength: 200 }),
    restarts: fc.array(fc.integer({ min: 0, max: codeLifetimeMs }), { maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ attempts, restarts }) => {
      const clock = new FakeClock();
      const startedAt = clock.monotonic();
      const left = restarts.toSorted((a, b) => a - b);
      let guesses = new GuessLimiter(limitsInMemory(clock));
      let tried = 0;
      for (const { waitMs, burst } of attempts) {
        clock.advance(waitMs);
        if (clock.monotonic() - startedAt > codeLifetimeMs) break;
        while (left.length > 0 && left[0]! <= clock.monotonic() - startedAt) {
          left.shift();
          guesses = new GuessLimiter(limitsInMemory(clock));
        }
        const one = () =>
          guesses.attempt({ userId: "usr_a", teamId: "team_a", address: "192.0.2.1" }, async () => {
            tried += 1;
            throw new ProblemError("unknown-code", "no");
          });
        await Promise.allSettled(Array.from({ length: burst }, one));
      }
      expect(tried * pairingCodeAlphabet.length ** -8).toBeLessThan(2 ** -28);
    }),
    { numRuns: 200 },
  );
  // The worst case: as many guesses as allowed, from the beginning to the end of the code's lifetime.
  const clock = new FakeClock();
  const guesses = new GuessLimiter(limitsInMemory(clock));
  let tried = 0;
  for (let atMs = 0; atMs <= codeLifetimeMs; atMs += 60_000) {
    const one = () =>
      guesses.attempt({ userId: "usr_a", teamId: "team_a", address: "192.0.2.1" }, async () => {
        tried += 1;
        throw new ProblemError("unknown-code", "no");
      });
    await Promise.allSettled(Array.from({ length: 12 }, one));
    clock.advance(60_000);
  }
  expect(tried).toBe(80);
  expect((tried + 3 * maxWrongGuessesPerMinute) * pairingCodeAlphabet.length ** -8).toBeLessThan(2 ** -28);
});

test("[TOK15] pairing requests are limited per address", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock, trustedProxies: ["127.0.0.0/8"] });
  const device = await api.newDevice();
  const about = { player_version: "1", hardware: "x", timezone: "Europe/London", resolution: { width: 1, height: 1 } };
  const box = { public_key: device.keys.publicKey, ...about };
  const ask = (from: string) => call(device.url, "POST", "device/pairing-requests", box, { "x-forwarded-for": from });
  const from = "2001:db8::1";
  let answer = await ask(from);
  let requestCount = 1;
  for (; answer.status === 201; requestCount += 1) answer = await ask(from);
  expect([answer.status, requestCount]).toEqual([429, 61]);
  expect(Number(answer.headers.get("retry-after"))).toBe(60);
  expect((await ask("2001:db8::2")).status).toBe(429);
  expect((await ask("2001:db8:1::1")).status).toBe(201);
});

test("[TOK16] X-Forwarded-For is honored only from a configured proxy", async () => {
  await using folder = await temporaryFolder();
  const addressIn = async (trustedProxies: readonly string[], forwarded: string) => {
    await using api = await TestService.start(folder.path, { trustedProxies });
    await api.call("POST", "playlists", { name: "P" }, { "x-forwarded-for": forwarded });
    return (await api.call("GET", "audit?limit=1")).body.data[0].address;
  };
  expect(await addressIn([], "198.51.100.7")).toBe("127.0.0.1");
  expect(await addressIn(["192.0.2.0/24"], "198.51.100.7")).toBe("127.0.0.1");
  expect(await addressIn(["127.0.0.0/8"], "198.51.100.7")).toBe("198.51.100.7");
  // Addresses that the client itself sent are to the left of the one that the proxy added.
  expect(await addressIn(["127.0.0.0/8", "::1"], "203.0.113.1, 198.51.100.7")).toBe("198.51.100.7");

  const read = (...flags: string[]) => readServiceConfig(["--data", "/tmp/x", ...flags]);
  expect(read().trustedProxies).toEqual([]);
  expect(read("--trusted-proxy", "10.0.0.0/8, ::1").trustedProxies).toEqual(["10.0.0.0/8", "::1"]);
  for (const bad of ["10.0.0.0/33", "proxy.example", "10.0.0.0/8,", "::1/129", "true"]) {
    expect(() => read("--trusted-proxy", bad)).toThrow("--trusted-proxy");
  }
});
