// Request quotas: a window ends when Retry-After says, and rejected requests do not count.
import { expect, test } from "vitest";
import { Quotas } from "../../../src/service/http/limits/rate-limit.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { call, TestService } from "../harness.ts";

test("[ISO9] after the time in Retry-After, and not before, requests are accepted again with a full quota", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock, limits: { token: 3, player: 3, address: 3 } });
  const requests = {
    token: () => api.call("GET", "me"),
    address: () => call(api.service.url, "POST", "device/nonce", {}),
  };
  for (const send of Object.values(requests)) {
    clock.advance(61_000);
    for (let window = 0; window < 3; window += 1) {
      const left = [];
      for (let each = 0; each < 3; each += 1) {
        const response = await send();
        expect(response.status).toBeLessThan(300);
        left.push(/r=(\d+)/.exec(response.headers.get("ratelimit")!)![1]);
        clock.advance(1_300);
      }
      expect(left).toEqual(["2", "1", "0"]);
      const full = await send();
      const retryMs = Number(full.headers.get("retry-after")) * 1_000;
      expect([full.status, retryMs]).toEqual([429, 57_000]);
      // Retry-After has whole seconds, so a part of the last second may be left.
      clock.advance(retryMs - 1_000);
      expect((await send()).status).toBe(429);
      clock.advance(1_000);
    }
  }
});

test("[ISO9] a new window begins with the next request of a key, however late, and rejected requests do not count", () => {
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
