// Shares at the service: interrupts that certainly exceed the hour on one player at one time are rejected.
import { expect, test } from "vitest";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService, errorPointers } from "../harness.ts";

test("[INT4] shares that exceed 100 % on one player at one time are rejected with the share that is left", async () => {
  await using folder = await temporaryFolder();
  // A Saturday.
  await using api = await TestService.start(folder.path, { clock: new FakeClock(Date.UTC(2026, 10, 21, 12)) });
  const device = await api.pairDevice();
  await api.call("PATCH", `players/${device.playerId}`, { tags: ["bar"] });
  const layout = (await api.call("POST", "layouts", { name: "L", width: 100, height: 100 })).body;
  const base = { name: "S", layout_id: layout.id, target: { type: "team" }, starts_at: "2026-11-01T00:00" };
  const create = (share_percent: number, more: object = {}) =>
    api.call("POST", "schedules", { ...base, interrupt: { share_percent }, ...more });
  const rejected = async (share: number, more: object = {}) => {
    const answer = await create(share, more);
    expect([answer.status, errorPointers(answer)]).toEqual([422, ["/interrupt/share_percent"]]);
    return answer.body.detail as string;
  };

  expect((await create(60, { name: "Beer" })).status).toBe(201);
  expect(await rejected(41)).toMatch(/“Beer” \(60 %\).*101 %.*at most 40 % are left/);
  expect(await rejected(41, { target: { type: "tag", tag: "bar" } })).toContain("40 %");
  // No player has the tag; at another time, on another clock or with a variable there is no certain conflict.
  expect((await create(90, { target: { type: "tag", tag: "nobody" } })).status).toBe(201);
  expect((await create(90, { starts_at: "2026-10-01T00:00", ends_at: "2026-10-31T00:00" })).status).toBe(201);
  expect((await create(90, { timezone: "Asia/Kathmandu" })).status).toBe(201);
  expect((await create(90, { conditions: [{ type: "variable", name: "door_open", value: true }] })).status).toBe(201);
  expect((await create(90, { conditions: [{ type: "tag", tag: "bar", is_present: false }] })).status).toBe(201);

  // Within the 40 % that are left: Fridays 22:00 to 02:00, then schedules that overlap that night and others that do not.
  const friday = { starts_at: "2026-11-27T22:00", ends_at: "2026-11-28T02:00", rrule: "FREQ=WEEKLY;BYDAY=FR" };
  const night = await create(30, { name: "Night", ...friday });
  expect(night.status).toBe(201);
  const daypart = (weekday: string, from: string, until: string) => ({
    conditions: [{ type: "daypart", weekdays: [weekday], from, until }],
  });
  expect(await rejected(20, daypart("SA", "01:00", "03:00"))).toMatch(/“Night”.*at most 10 % are left/);
  expect((await create(20, daypart("SA", "02:00", "03:00"))).status).toBe(201);
  expect((await create(20, { conditions: [{ type: "date", until: "2026-11-26" }] })).status).toBe(201);

  // The same applies to a change; a schedule does not conflict with itself.
  const path = `schedules/${night.body.id}`;
  expect((await api.call("PATCH", path, { interrupt: { share_percent: 40 } })).status).toBe(200);
  const more = await api.call("PATCH", path, { interrupt: { share_percent: 40.5 } });
  expect([more.status, errorPointers(more)]).toEqual([422, ["/interrupt/share_percent"]]);
  // A conflict that existed before, since a tag was added later, does not prevent a new name.
  await api.call("PATCH", `players/${device.playerId}`, { tags: ["bar", "nobody"] });
  expect((await api.call("PATCH", path, { name: "Late night" })).status).toBe(200);
  // Windows that are over cause no conflict.
  expect((await create(100, { ...friday, starts_at: "2026-11-06T22:00", ends_at: "2026-11-07T02:00", rrule: null })).status).toBe(201);
  // A schedule without an interrupt has no share.
  expect((await create(0, { interrupt: null })).status).toBe(201);
});
