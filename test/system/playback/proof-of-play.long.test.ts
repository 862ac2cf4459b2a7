// Proof of play with a real player, browser and service: the play events match the screen.
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { plainImage } from "../../support/media/media.ts";
import { eventually } from "../../support/polling.ts";
import { startPlayer, startService, type Api } from "../../support/programs/programs.ts";
import type { PlayEventRecord, PlayReportRow } from "../../../src/protocol/device/play-events.ts";

/** All play events, oldest first, once `enough` accepts them. */
function playsAt(api: Api, enough: (plays: PlayEventRecord[]) => boolean): Promise<PlayEventRecord[]> {
  return eventually(async () => {
    const { data } = (await api.ok("GET", "play-events?limit=100")) as unknown as { data: PlayEventRecord[] };
    return enough(data) ? data.toReversed() : null;
  });
}

test("[POP14] what was on a real screen arrives as play events, across kill -9, and the report's sum is the zone's time", async () => {
  await using folder = await temporaryFolder();
  await using service = await startService(join(folder.path, "service"));
  const { api } = service;
  const assets = [
    await api.upload("one.png", await plainImage([220, 30, 40])),
    await api.upload("two.png", await plainImage([20, 160, 60])),
  ];
  const items = assets.map((asset_id) => ({ type: "image", asset_id, duration_ms: 2_000, fit: "fill" }));
  const { layoutId } = await api.publish(items);
  const playerFolder = join(folder.path, "player");
  const presented = (line: { msg: string }): boolean => line.msg === "presented";
  const truth: number[] = [];
  let playerId: string;
  {
    await using player = startPlayer(api.url, playerFolder);
    playerId = await api.pair(player, layoutId);
    await eventually(() => player.lines.filter(presented).length >= 6);
    await player.kill();
    truth.push(...player.lines.filter(presented).map((line) => Date.parse(String(line["presented_at"]))));
  }
  // The next start immediately reports the pending plays of the previous one; the interrupted play comes last.
  await using player = startPlayer(api.url, playerFolder);
  const reported = await playsAt(api, (plays) => plays.some(({ reason }) => reason === "interrupted"));
  // Plays that were due while the browser was starting are reported as skipped.
  const first = reported.filter(({ result, boot_id }) => result !== "skipped" && boot_id === reported[0]!.boot_id);
  // A play that began just before the kill may be in the log and not in the events, or the other way round.
  expect(Math.abs(first.length - truth.length)).toBeLessThanOrEqual(1);
  expect(new Set(first.map(({ id }) => id)).size).toBe(first.length);
  for (const [place, shownAt] of truth.slice(0, first.length).entries())
    expect(Math.abs(Date.parse(first[place]!.started_at) - shownAt)).toBeLessThanOrEqual(1_000);
  for (const [place, event] of first.slice(1).entries()) expect(event.started_monotonic_ms).toBe(first[place]!.ended_monotonic_ms);
  for (const event of first) {
    expect(event).toMatchObject({ player_id: playerId, layout_id: layoutId, boot_id: first[0]!.boot_id });
    expect(assets).toContain(event.asset_id);
    expect(event.sha256).toMatch(/^[0-9a-f]{64}$/);
  }
  // It ends at the last frame that was recorded before the kill. Without one after its first, nobody can have seen it.
  const last = first.at(-1)!;
  const isSeen = last.ended_monotonic_ms > last.started_monotonic_ms;
  expect([last.result, last.reason]).toEqual([isSeen ? "cut" : "failed", "interrupted"]);
  const { data } = (await api.ok("GET", "reports/proof-of-play?group_by=zone")) as unknown as { data: PlayReportRow[] };
  const ends = [Date.parse(first[0]!.started_at), Date.parse(first.at(-1)!.ended_at)] as const;
  expect(data).toHaveLength(1);
  // One frame, or a correction of the clock, for each item.
  expect(Math.abs(data[0]!.duration_ms - (ends[1] - ends[0]))).toBeLessThanOrEqual(17 * first.length);
  expect(data[0]!.plays).toBe(isSeen ? first.length : first.length - 1);

  // Later plays are reported within a minute or at the next start, with another boot id.
  await eventually(() => player.lines.filter(presented).length > 3);
  await player.stop();
  await using next = startPlayer(api.url, playerFolder);
  await next.line(presented);
  const isLater = (play: PlayEventRecord): boolean => play.boot_id !== first[0]!.boot_id;
  const later = (await playsAt(api, (plays) => plays.filter(isLater).length > 2)).filter(isLater);
  expect(new Set(later.map(({ boot_id }) => boot_id)).size).toBe(1);
  const listed = await api.ok("GET", `players/${playerId}/heartbeats`);
  expect((listed as unknown as { data: unknown[] }).data.length).toBeGreaterThan(0);
}, 300_000);
