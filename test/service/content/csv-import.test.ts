// Importing playlists and schedules from tables.
import { expect, test } from "vitest";
import { mostErrors } from "../../../src/protocol/refusal.ts";
import { errorPointers, picture, type ApiResponse } from "../harness.ts";
import { useService } from "../shared-service.ts";

const shared = useService();

const table = (...lines: readonly string[]): string => lines.join("\n");

test("[IMP10] a table makes playlists with items of any kind, in the order of its lines; a dry run changes nothing", async () => {
  const api = await shared.newTeam();
  const { body: asset } = await api.upload(await picture("jpeg"), "image/jpeg", "Soup.jpg");
  const csv = table(
    "Playlist;Type;File;Text;Duration;Days;From;Until;valid_from;max_plays_per_hour;transition;url;fit;muted",
    "Lunch;;soup.jpg;;8;MO-FR;11:00;14:00;;;crossfade;;cover;",
    'Lunch;text;;"Soup; of the day";1:05;;;;2026-12-24 18:00;4;;;;',
    "Hall;web;;;60;;;;;;;https://example.com/;;",
    `Hall;image;${asset.id};;;;;;;;;;;`,
  );
  const body = { csv, timezone: "Europe/Berlin" };
  const tried = await api.call("POST", "playlists/import?dry_run=true", body);
  expect([tried.status, JSON.stringify(tried.body.errors ?? [])]).toEqual([200, "[]"]);
  expect((await api.call("GET", "playlists")).body.data).toEqual([]);
  const done = await api.call("POST", "playlists/import", body);
  expect(done.body).toMatchObject({
    playlists: [
      { name: "Lunch", action: "created", item_count: 2, line: 2 },
      { name: "Hall", action: "created", item_count: 2, line: 4 },
    ],
    skipped: [],
  });
  const { items } = (await api.call("GET", `playlists/${done.body.playlists[0].id}`)).body;
  expect(items).toMatchObject([
    {
      type: "image",
      asset_id: asset.id,
      duration_ms: 8_000,
      fit: "cover",
      dayparts: [{ weekdays: ["MO", "TU", "WE", "TH", "FR"], from: "11:00", until: "14:00" }],
      transition: { type: "crossfade" },
    },
    { type: "text", text: "Soup; of the day", duration_ms: 65_000, valid_from: "2026-12-24T17:00:00.000Z", max_plays_per_hour: 4 },
  ]);
});

test("[IMP11] each fault of a table is told with its line, column and remedy; nothing is imported, or only the other lines if wanted", async () => {
  const api = await shared.newTeam();
  const csv = table(
    "playlist,type,file,text,duration,days,color",
    "Hall,text,,Hello,8,,",
    "Hall,text,,,8,,",
    "Hall,image,missing.jpg,,8,,",
    "Hall,poster,,Hello,soon,,",
    "Hall,text,,Hello,soon,XX,red",
    ",text,,Hello,5,,",
    "Hall,qr,,Hello,5,,",
  );
  const refused = await api.call("POST", "playlists/import", { csv });
  expect(refused.status).toBe(422);
  expect(errorPointers(refused).toSorted()).toEqual(
    [
      "/csv/3/text",
      "/csv/4/file",
      "/csv/5/type",
      "/csv/6/color",
      "/csv/6/days",
      "/csv/6/duration",
      "/csv/7/playlist",
      "/csv/8/data",
      "/csv/8/text",
    ].toSorted(),
  );
  expect(refused.body.detail).toContain("line 4: there is no file named “missing.jpg”: upload it first, or correct the name");
  expect((await api.call("GET", "playlists")).body.data).toEqual([]);
  const { body } = await api.call("POST", "playlists/import", { csv, skip_faulty: true });
  expect(body.playlists).toMatchObject([{ name: "Hall", item_count: 1 }]);
  expect(new Set(body.skipped.map(({ line }: { line: number }) => line))).toEqual(new Set([3, 4, 5, 6, 7, 8]));
  expect(errorPointers(await api.call("POST", "playlists/import", { csv: "playlist,typ\nA,text" }))).toEqual(["/csv/1/typ"]);
  expect(errorPointers(await api.call("POST", "playlists/import", { csv: 'playlist,type\n"A,text' }))).toEqual(["/csv/2"]);
  // Refused only together: something has to play between limited items.
  const limited = { csv: "playlist,type,text,max_plays_per_hour\nA,text,x,5", skip_faulty: true };
  expect((await api.call("POST", "playlists/import", limited)).body).toMatchObject({
    playlists: [],
    skipped: [{ line: 2, column: "max_plays_per_hour" }],
  });
});

test("[IMP12] an existing playlist is replaced or grows if that is wanted; the same table again changes nothing", async () => {
  const api = await shared.newTeam();
  const csv = "playlist,type,text\nHall,text,One\nHall,text,Two";
  const run = async (when_exists: string, text = csv) =>
    (await api.call("POST", "playlists/import", { csv: text, when_exists })).body.playlists;
  const [first] = await run("replace");
  expect(first.action).toBe("created");
  const before = (await api.call("GET", `playlists/${first.id}`)).body.items;
  expect(await run("replace")).toMatchObject([{ id: first.id, action: "unchanged" }]);
  expect(await run("append", "playlist,type,text\nHall,text,Three")).toMatchObject([{ id: first.id, action: "changed", item_count: 3 }]);
  expect((await api.call("GET", `playlists/${first.id}`)).body.items.slice(0, 2)).toEqual(before);
  await run("create");
  const ambiguous = await api.call("POST", "playlists/import", { csv, when_exists: "replace" });
  expect(errorPointers(ambiguous)).toEqual(["/csv/2/playlist"]);
});

test("[IMP13] a table makes schedules for screens and tags by name, with days and hours or with the API's fields", async () => {
  const api = await shared.newTeam();
  const { playerId } = await api.pairDevice("Lobby");
  const { body: layout } = await api.call("POST", "layouts", { name: "Menu", width: 100, height: 100 });
  const csv = table(
    "name,layout,screens,tags,first_day,last_day,days,from,until,priority,starts_at,ends_at,rrule",
    "Lunch,menu,Lobby,canteen;bar,2026-11-23,2027-03-31,Mon-Fri,11:00,14:00,10,,,",
    `Night,${layout.id},*,,2026-11-23,,,22:00,6:00,,,,`,
    "Event,Menu,,bar,,,,,,5,2026-11-27T22:00,2026-11-28T02:00,FREQ=WEEKLY;BYDAY=FR",
  );
  const done = await api.call("POST", "schedules/import", { csv });
  expect([done.status, JSON.stringify(done.body.errors ?? [])]).toEqual([200, "[]"]);
  const read = async (index: number) => (await api.call("GET", `schedules/${done.body.schedules[index].id}`)).body;
  expect(await read(0)).toMatchObject({
    layout_id: layout.id,
    target: {
      type: "any",
      of: [
        { type: "tag", tag: "canteen" },
        { type: "tag", tag: "bar" },
        { type: "player", player_id: playerId },
      ],
    },
    starts_at: "2026-11-23T11:00",
    ends_at: "2026-11-23T14:00",
    rrule: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;UNTIL=20270331",
    priority: 10,
  });
  expect(await read(1)).toMatchObject({ target: { type: "team" }, starts_at: "2026-11-23T22:00", ends_at: "2026-11-24T06:00" });
  expect(await read(2)).toMatchObject({ target: { type: "tag", tag: "bar" }, rrule: "FREQ=WEEKLY;BYDAY=FR" });

  const faulty = table(
    "name,layout,screens,first_day,days,from,until",
    "A,Nothing,*,2026-11-23,,,",
    "B,Menu,Nowhere,2026-11-23,,,",
    "C,Menu,,2026-11-23,,,",
    "D,Menu,*,,MO,11:00,14:00",
    "E,Menu,*,2026-11-31,,,",
    "F,Menu,*,2026-11-23,MO,25:00,26:00",
  );
  const refused = await api.call("POST", "schedules/import", { csv: faulty });
  expect(new Set(errorPointers(refused))).toEqual(
    new Set(["/csv/2/layout", "/csv/3/screens", "/csv/4/screens", "/csv/5/first_day", "/csv/6/first_day", "/csv/7/from", "/csv/7/until"]),
  );
  expect((await api.call("GET", "schedules")).body.data).toHaveLength(3);
});

test("[IMP16] assets are listed by their ids, a hundred at a time; ids that do not exist are left out", async () => {
  const api = await shared.newTeam();
  const { body: one } = await api.upload(await picture("jpeg"), "image/jpeg", "One.jpg");
  await api.upload(await picture("png"), "image/png", "Two.png");
  const unknown = "ast_01jd3v8q6m9x2k4n7r5t1w0yzh";
  const { body } = await api.call("GET", `assets?ids=${one.id},${unknown}`);
  expect(body.data.map(({ name }: { name: string }) => name)).toEqual(["One.jpg"]);
  const tooMany = Array.from({ length: 101 }, () => unknown).join(",");
  expect((await api.call("GET", `assets?ids=${tooMany}`)).status).toBe(422);
});

test("[IMP17] a table may have 200 columns and 10,000 lines below their names; a larger one is refused with the limit, and few of many faults are listed", async () => {
  const api = await shared.newTeam();
  const bytesOf = (answer: ApiResponse): number => JSON.stringify(answer.body).length;
  const columns = (count: number, separator = ",") => Array.from({ length: count }, () => "x").join(separator);
  for (const path of ["playlists/import", "schedules/import"]) {
    for (const separator of [",", ";", "\t"]) {
      const wide = await api.call("POST", path, { csv: `${columns(300_000, separator)}\n1` });
      expect([wide.status, wide.body.errors]).toEqual([
        422,
        [{ pointer: "/csv/1", detail: "line 1: has more than 200 cells: a table has at most that many columns" }],
      ]);
    }
    // Each of the names is told once.
    const atLimit = await api.call("POST", path, { csv: `${columns(200)}\n1` });
    expect([atLimit.status, atLimit.body.errors.length]).toEqual([422, mostErrors]);
    expect(bytesOf(atLimit)).toBeLessThan(100_000);
    const long = await api.call("POST", path, { csv: `name\n${"x\n".repeat(10_001)}` });
    expect([long.status, long.body.errors]).toEqual([
      422,
      [expect.objectContaining({ detail: expect.stringContaining("more than 10000 lines") })],
    ]);
  }
  const faulty = Array.from({ length: 9_999 }, () => "P,text,Hello,8,x,x,x,x");
  const csv = table("playlist,type,text,duration,fit,color,url,muted", ...faulty, "P,text,Hello,8,,,,");
  const refused = await api.call("POST", "playlists/import", { csv });
  expect([refused.status, refused.body.errors.length]).toEqual([422, mostErrors]);
  expect(refused.body.detail).toMatch(/; and [0-9,]+ more$/);
  const rest = await api.call("POST", "playlists/import", { csv, skip_faulty: true });
  const { playlists, skipped, skipped_lines, more_skipped } = rest.body;
  expect([rest.status, playlists.length, skipped.length, skipped_lines]).toEqual([200, 1, mostErrors, 9_999]);
  expect(more_skipped).toBe(refused.body.more_errors);
  for (const each of [refused, rest]) expect(bytesOf(each)).toBeLessThan(100_000);
});
