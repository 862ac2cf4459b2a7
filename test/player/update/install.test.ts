// When a player asks its launcher to install the wanted version: windows, commands, ways back, failures and refusals.
import { join } from "node:path";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { readFromFolder } from "../../../src/base/releases/folder.ts";
import { verifyTarget } from "../../../src/base/releases/verify-target.ts";
import { verifyReleases } from "../../../src/base/releases/verify.ts";
import type { DesiredRelease, LauncherStatus } from "../../../src/protocol/device/updates.ts";
import { bundleOf, hourMs, noon, openPlace, startUpdating } from "./updating-player.ts";

const inWindow: DesiredRelease = { version: "1.4.0", install: "in-window" };
const atOnce: DesiredRelease = { version: "1.4.0", install: "now" };
const at = new Date(noon).toISOString();
const program = { what: "program", version: "1.4.0", at } as const;
const probation: LauncherStatus["probation"] = { what: "program", version: "1.3.0", passed_ms: 60_000, needed_ms: 600_000 };

test("[UPD3] the wanted version is fetched and verified, waits for the window, and is asked for then with what the launcher needs", async () => {
  await using place = await openPlace();
  await place.releases.rotate();
  await using player = await startUpdating(place);
  player.want(inWindow);
  const waiting = await player.reaches(({ is }) => is === "waiting");
  expect(waiting.detail).toContain("2026-11-22T02:00:00.000Z");
  expect(waiting).toMatchObject({ wanted_version: "1.4.0", ready_bytes: 100_000, total_bytes: 100_000 });
  expect(await place.request()).toBeNull();
  place.clock.advance(14 * hourMs);
  const request = await player.until(() => place.request());
  expect(request).toMatchObject({ what: "program", version: "1.4.0" });
  expect(Date.parse(request.requested_at)).toBeGreaterThanOrEqual(noon + 14 * hourMs);
  await player.reaches(({ is }) => is === "installing");
  // As the launcher does, which trusts nothing but its own root.
  const { updatesFolder } = place.options;
  const trusted = { root: place.releases.anchor, trustFolder: join(place.folder, "launcher"), read: readFromFolder(updatesFolder) };
  const target = (await verifyReleases({ ...trusted, now: place.clock.now() })).find("signage-player_1.4.0_amd64.tar.zst")!;
  await verifyTarget(target, join(updatesFolder, target.path));
  expect(await readFile(join(updatesFolder, target.path))).toEqual(bundleOf("1.4.0"));
});

test("[UPD4] with `install: now`, or after the command update, the window does not matter, also after a restart", async () => {
  await using place = await openPlace();
  {
    await using player = await startUpdating(place);
    player.want(inWindow);
    await player.reaches(({ is }) => is === "waiting");
    // The answer may come after the installation has begun.
    expect(await player.updates.installNow()).toEqual({ version: "1.4.0", is: expect.stringMatching(/^(?:waiting|installing)$/) });
    const { version } = await player.until(() => place.request());
    expect(version).toBe("1.4.0");
  }
  await using again = await startUpdating(place);
  again.want(inWindow);
  await again.reaches(({ is }) => is === "installing");
  // It applies to that version only.
  await place.release("1.5.0");
  again.want({ ...inWindow, version: "1.5.0" });
  await again.reaches(({ is }) => is === "waiting");
  again.want({ ...atOnce, version: "1.5.0" });
  await again.until(async () => (await place.request())?.version === "1.5.0");
});

test("[UPD5] the version before needs no download, may be older, and is asked for even during a probation", async () => {
  await using place = await openPlace();
  await place.status({ version: "1.5.0", slot: "a", previous_version: "1.3.0", probation: { ...probation, version: "1.5.0" } });
  await using player = await startUpdating(place);
  player.want({ version: "1.3.0", install: "now" });
  expect(await player.until(() => place.request())).toMatchObject({ version: "1.3.0" });
  expect(place.service.requests).toEqual([]);
});

test("[UPD6] an older version than the running one is refused with the reason, unless it is the version before", async () => {
  await using place = await openPlace();
  await place.status({ version: "1.5.0", previous_version: "1.3.0" });
  await using player = await startUpdating(place);
  player.want(atOnce);
  const { detail } = await player.reaches(({ is }) => is === "blocked");
  expect(detail).toBe("1.4.0 is older than 1.5.0, which runs: the screen does not go back, except to 1.3.0. Choose a newer version");
  expect([await place.request(), place.service.requests]).toEqual([null, []]);
});

test("[UPD7] a new version waits until a probation has ended", async () => {
  await using place = await openPlace();
  await place.status({ probation });
  await using player = await startUpdating(place);
  player.want(atOnce);
  const waiting = await player.reaches(({ is }) => is === "waiting");
  expect(waiting.detail).toBe("1.3.0 is on probation: 1 of 10 minutes have passed");
  await place.status({});
  await player.until(() => place.request());
});

test("[UPD8] a request that was not answered when its window closes, or when another version is wanted, is taken back", async () => {
  await using place = await openPlace();
  await using player = await startUpdating(place);
  const windows = [{ from: "12:00", until: "13:00" }];
  player.want({ ...inWindow, windows });
  await player.until(() => place.request());
  place.clock.advance(hourMs);
  const { detail } = await player.reaches(({ is }) => is === "waiting");
  expect(detail).toContain("2026-11-22T12:00:00.000Z");
  expect(await place.request()).toBeNull();
  player.want(atOnce);
  await player.until(() => place.request());
  player.want(null);
  await player.reaches(({ is }) => is === "current");
  expect(await place.request()).toBeNull();
});

test("[UPD9] a version that failed is asked for again at the launcher's time and not before, a newer one at once; the problem has both results", async () => {
  await using place = await openPlace();
  await place.release("1.5.0");
  const failed = { version: "1.4.0", tries: 2, retry_at: new Date(noon + 6 * hourMs).toISOString() };
  const last_attempt = { ...program, outcome: "rolled-back", detail: "no frame was presented", control: "passed" } as const;
  await place.status({ failed, last_attempt });
  await using player = await startUpdating(place);
  player.want(atOnce);
  const { detail } = await player.reaches(({ is }) => is === "failed");
  expect(detail).toBe("1.4.0 failed 2 times. It is tried again at 2026-11-21T18:00:00.000Z");
  expect(player.problems()).toEqual([
    "update-failed: A new version failed, and the one before runs again: 1.4.0: no frame was presented. The version before passed the same test",
  ]);
  expect(await place.request()).toBeNull();
  player.want({ ...atOnce, version: "1.5.0" });
  await player.until(async () => (await place.request())?.version === "1.5.0");
  expect(player.problems()).toEqual([]);
  player.want(atOnce);
  await player.reaches(({ is }) => is === "failed");
  place.clock.advance(6 * hourMs);
  await player.until(async () => (await place.request())?.version === "1.4.0");
});

test("[UPD10] after the launcher's refusal it is asked again an hour later, or at once by the command update", async () => {
  await using place = await openPlace();
  await using player = await startUpdating(place);
  player.want(atOnce);
  const first = await player.until(() => place.request());
  const refused = { ...program, outcome: "refused", detail: "the disk is full", control: null } as const;
  await place.status({ answered: first.id, last_attempt: { ...refused, at: new Date(place.clock.now()).toISOString() } });
  const { detail } = await player.reaches(({ is }) => is === "blocked");
  expect(detail).toBe("the launcher refused 1.4.0: the disk is full");
  expect(await place.request()).toBeNull();
  await player.updates.installNow();
  const second = await player.until(() => place.request());
  expect(second.id).not.toBe(first.id);
  await place.status({ answered: second.id, last_attempt: { ...refused, at: new Date(place.clock.now()).toISOString() } });
  await player.reaches(({ is }) => is === "blocked");
  place.clock.advance(hourMs);
  expect((await player.until(() => place.request())).id).not.toBe(second.id);
});

test("[UPD11] a launcher that does not answer within 15 minutes is reported", async () => {
  await using place = await openPlace();
  await using player = await startUpdating(place);
  player.want(atOnce);
  await player.until(() => place.request());
  place.clock.advance(hourMs / 4);
  const { detail } = await player.reaches(({ is }) => is === "blocked");
  expect(detail).toContain("systemctl status signage-launcher");
  expect(await place.request()).not.toBeNull();
});

test("[UPD12] once the wanted version runs, its bundle is removed, and a probation is reported until it has ended", async () => {
  await using place = await openPlace();
  await using player = await startUpdating(place);
  player.want(atOnce);
  await player.until(() => place.request());
  expect(await place.bundles()).toHaveLength(1);
  const now = { version: "1.4.0", slot: "a", previous_version: "1.3.0" } as const;
  await place.status({ ...now, probation: { ...probation, version: "1.4.0" } });
  await player.reaches(({ is, slot }) => is === "probation" && slot === "a");
  await place.status(now);
  await player.reaches(({ is }) => is === "current");
  await player.until(async () => (await place.bundles()).length === 0);
  expect(await place.request()).toBeNull();
});
