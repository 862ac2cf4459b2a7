// The pictures that players take by themselves, at the service: told apart, and kept for less time.
import type { SQLInputValue } from "node:sqlite";
import { expect, test } from "vitest";
import { ulid } from "../../../src/base/ulid.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/polling.ts";
import { picture, TestService } from "../harness.ts";
import { openTables } from "../tables-of.ts";

const dayMs = 86_400_000;

test(
  "[PIC12] the newest 100 pictures of a player's own are kept for a week; they push out none that a command asked for",
  { timeout: 60_000 },
  async () => {
    await using folder = await temporaryFolder();
    const clock = new FakeClock();
    await using api = await TestService.start(folder.path, { clock });
    const device = await api.pairDevice();
    const path = `players/${device.playerId}`;
    const { id: commandId } = (await api.call("POST", `${path}/commands`, { type: "screenshot" })).body;
    const newShot = () => `shot_${ulid(clock.now())}`;
    const [asked, own] = [newShot(), newShot()];
    expect((await device.putScreenshot(asked, await picture(), { "command-id": commandId })).status).toBe(204);
    clock.advance(1_000);
    expect((await device.putScreenshot(own, await picture("jpeg"), { "content-type": "image/jpeg" })).status).toBe(204);
    const ids = async (source: string) =>
      (await api.call("GET", `${path}/screenshots?limit=100${source}`)).body.data.map(({ id }: { id: string }) => id);
    expect([await ids(""), await ids("&source=command"), await ids("&source=interval")]).toEqual([[own, asked], [asked], [own]]);
    expect((await api.call("GET", `${path}/screenshots?source=both`)).status).toBe(422);

    using file = openTables(folder.path);
    const row = file.prepare("SELECT * FROM screenshots WHERE id = ?").get(own) as Record<string, SQLInputValue>;
    for (let each = 0; each < 120; each += 1) {
      const copy = { ...row, id: `shot_${ulid(clock.now() - 500)}`, created_at: Number(row["created_at"]) - 500 };
      const names = Object.keys(copy);
      file.prepare(`INSERT INTO screenshots (${names.join()}) VALUES (${names.map(() => "?").join()})`).run(...Object.values(copy));
    }
    clock.advance(1_000);
    const newest = newShot();
    expect((await device.putScreenshot(newest, await picture("webp"), { "content-type": "image/webp" })).status).toBe(204);
    const kept = await ids("&source=interval");
    expect([kept.length, kept[0], kept[1]]).toEqual([100, newest, own]);
    expect(await ids("&source=command")).toEqual([asked]);

    clock.advance(6.9 * dayMs);
    await eventually(async () => (clock.advance(3_600_000), (await ids("")).length === 1));
    expect(await ids("")).toEqual([asked]);
  },
);
