// The editor's model without a page: merging, undoing, the length of a round, the table of fields, saving.
import fc from "fast-check";
import { expect, test } from "vitest";
import { NewPlaylistItem } from "../../../src/protocol/content/items.ts";
import { fieldSchemas, withDefaults } from "../../../renderer/console/pages/playlists/model/defaults.ts";
import { changeRows, duplicateRows, removeRows, shiftRows, swapRows } from "../../../renderer/console/pages/playlists/model/edits.ts";
import { fieldsOf, kinds } from "../../../renderer/console/items/item-kinds.ts";
import { emptyHistory, record, redoStep, undoStep } from "../../../renderer/console/pages/playlists/model/history.ts";
import { loopAt } from "../../../renderer/console/pages/playlists/model/loop.ts";
import { merge } from "../../../renderer/console/pages/playlists/model/merge.ts";
import type { Item } from "../../../renderer/console/items/item.ts";
import { withEditedItems } from "../../../renderer/console/pages/playlists/model/preview-content.ts";
import { RowKeys, type Row } from "../../../renderer/console/pages/playlists/model/rows.ts";

const row = (key: string, text = key): Row => ({ key, item: { type: "text", text } as Item });
const rows = (keys: string): Row[] => keys.split("").map((key) => row(key));
const order = (all: readonly Row[]): string => all.map(({ key }) => key).join("");
const common = [
  "type",
  "id",
  "duration_ms",
  "valid_from",
  "valid_until",
  "dayparts",
  "conditions",
  "max_plays_per_hour",
  "max_plays_per_day",
  "transition",
];

test("[CPL1] the table of fields has every setting of every kind of item, and offers only values that the service takes", () => {
  expect(kinds.toSorted()).toEqual([...fieldSchemas.keys()].toSorted());
  for (const kind of kinds) {
    const shape = fieldSchemas.get(kind)!;
    const fields = fieldsOf(kind);
    expect([kind, fields.map(({ name }) => name).toSorted()]).toEqual([
      kind,
      Object.keys(shape)
        .filter((name) => !common.includes(name))
        .toSorted(),
    ]);
    for (const field of fields) {
      const takes = (value: unknown): boolean => shape[field.name]!.safeParse(value).success;
      const where = `${kind}.${field.name}`;
      if ("options" in field) expect([where, field.options.filter((option) => !takes(option))]).toEqual([where, []]);
      if ("max" in field) expect([where, takes(field.min), takes(field.max), takes(field.max + 1)]).toEqual([where, true, true, false]);
      if (field.is === "text")
        expect([where, takes("x".repeat(field.most)), takes("x".repeat(field.most + 1))]).toEqual([where, true, false]);
      const { success, data } = shape[field.name]!.safeParse(undefined);
      expect([where, field.isOptional === true]).toEqual([where, success && data === undefined]);
    }
  }
});

test("[CPL2] an item that the editor completes with defaults is what the service stores", () => {
  for (const item of [{ type: "text", text: "Hello" }, { type: "clock" }, { type: "feed", url: "https://example.com/feed" }] as Item[]) {
    expect(withDefaults(item)).toEqual(NewPlaylistItem.parse(item));
  }
});

test("[CPL3] rows are moved together, swapped, duplicated and removed", () => {
  const all = rows("abcdef");
  expect(order(shiftRows(all, new Set(["b", "c", "f"]), -1))).toBe("bcadfe");
  expect(order(shiftRows(all, new Set(["a", "e", "f"]), 1))).toBe("bacdef");
  expect(order(swapRows(all, "b", "e"))).toBe("aecdbf");
  expect(order(removeRows(all, new Set(["a", "f"])))).toBe("bcde");
  const keys = new RowKeys();
  const copy = duplicateRows(all, new Set(["b", "d"]), (items) => keys.newRows(items));
  expect(copy.rows.map(({ item }) => (item as { text: string }).text).join("")).toBe("abcdbdef");
  expect(new Set(copy.rows.map(({ key }) => key)).size).toBe(8);
});

test("[CPL4] two people's changes are merged by item and field, and nothing of either is lost", () => {
  const base = rows("abcd");
  const mine = changeRows(shiftRows(base, new Set(["d"]), -1), new Set(["a"]), { color: "#ff0000" });
  const theirs = [...changeRows(base, new Set(["a"]), { align: "start" }), row("e")];
  const both = merge(base, mine, theirs);
  expect(both.conflicts).toEqual([]);
  expect(order(both.rows)).toBe("abdce");
  expect(both.rows[0]!.item).toEqual({ type: "text", text: "a", color: "#ff0000", align: "start" });

  const disputed = merge(base, changeRows(base, new Set(["b"]), { text: "mine" }), changeRows(base, new Set(["b"]), { text: "theirs" }));
  expect(disputed.conflicts).toMatchObject([{ key: "b", is: "fields", fields: ["text"] }]);
  expect(disputed.rows[1]!.item).toMatchObject({ text: "mine" });
  const gone = merge(base, changeRows(base, new Set(["b"]), { text: "mine" }), rows("acd"));
  expect([order(gone.rows), gone.conflicts.map(({ is }) => is)]).toEqual(["abcd", ["they-removed"]]);
  const kept = merge(base, rows("acd"), changeRows(base, new Set(["b"]), { text: "theirs" }));
  expect([order(kept.rows), kept.conflicts.map(({ is }) => is)]).toEqual(["abcd", ["i-removed"]]);
});

/** Any rows that come from `base` by removing, changing, adding and ordering. */
const edited = (base: readonly Row[], who: string): fc.Arbitrary<Row[]> =>
  fc
    .tuple(
      fc.shuffledSubarray([...base]),
      fc.array(fc.boolean(), { minLength: base.length, maxLength: base.length }),
      fc.array(fc.nat(20), { maxLength: 3 }),
    )
    .map(([left, isChanged, places]) => {
      const own = left.map((each, index) => (isChanged[index] === true ? row(each.key, `${each.key} by ${who}`) : each));
      return places.reduce<Row[]>((all, place, index) => all.toSpliced(place % (all.length + 1), 0, row(`${who}${index}`)), own);
    });

test("[CPL5] whatever two people do: every row that one of them added or changed is in the merge, once, and each alone gets all", () => {
  const base = rows("abcdefgh");
  fc.assert(
    fc.property(edited(base, "mine"), edited(base, "theirs"), (mine, theirs) => {
      const merged = merge(base, mine, theirs).rows;
      expect(new Set(merged.map(({ key }) => key)).size).toBe(merged.length);
      const has = (all: readonly Row[], key: string): boolean => all.some((each) => each.key === key);
      for (const each of [...mine, ...theirs]) {
        const old = base.find(({ key }) => key === each.key);
        if (old === undefined || old.item !== each.item) expect(has(merged, each.key)).toBe(true);
        else if (!has(mine, each.key) || !has(theirs, each.key)) {
          const other = (has(mine, each.key) ? mine : theirs).find(({ key }) => key === each.key)!;
          expect(has(merged, each.key)).toBe(other.item !== old.item);
        }
      }
      expect(merge(base, mine, base).rows).toEqual(mine);
      expect(merge(base, base, theirs).rows).toEqual(theirs);
      expect(merge(base, mine, mine).rows).toEqual(mine);
    }),
  );
});

test("[CPL6] undo takes back one's own change only, and redo brings it again; typing is one step", () => {
  const base = rows("abc");
  const mine = swapRows(base, "a", "c");
  const history = record(emptyHistory, { before: base, after: mine });
  const now = [...changeRows(mine, new Set(["b"]), { text: "theirs" }), row("d")];
  const back = undoStep(history, now)!;
  expect(order(back.rows)).toBe("abcd");
  expect(back.rows[1]!.item).toMatchObject({ text: "theirs" });
  const again = redoStep(back.history, back.rows)!;
  expect(order(again.rows).replace("d", "")).toBe("cba");
  expect(again.history.past).toHaveLength(1);
  expect(undoStep(emptyHistory, base)).toBeNull();

  // Typing is one step.
  const steps = ["x", "xy", "xyz"].reduce(
    ({ all, past }, typed) => {
      const next = changeRows(all, new Set(["a"]), { text: typed });
      return { all: next, past: record(past, { before: all, after: next, joins: "a text" }) };
    },
    { all: base, past: emptyHistory },
  );
  expect(undoStep(steps.past, steps.all)!.rows).toEqual(base);
});

test("[CPL7] the length of a round counts what is shown at a time, by the player's rules", () => {
  const item = (fields: object): Row => ({
    key: JSON.stringify(fields),
    item: withDefaults({ type: "text", text: "x", ...fields } as Item),
  });
  const all = [
    item({ duration_ms: 5_000 }),
    item({ duration_ms: 7_000, dayparts: [{ weekdays: ["MO"], from: "11:00", until: "14:00" }] }),
    item({ duration_ms: 11_000, valid_from: "2026-12-01T00:00:00Z" }),
    item({ duration_ms: 13_000, max_plays_per_hour: 4 }),
    item({}),
    { key: "video", item: withDefaults({ type: "video", asset_id: "ast_1", start_ms: 1_000 } as Item) },
  ];
  const mediaOf = () => ({ duration_ms: 4_000, page_count: null });
  // 23 November 2026 is a Monday; Berlin is one hour ahead.
  const calendars = new Map([["cal_1", ["2026-11-23"]]]);
  const atLunch = loopAt(all, mediaOf, Date.parse("2026-11-23T10:30:00Z"), "Europe/Berlin", calendars);
  expect(atLunch).toMatchObject({ totalMs: 38_000, unlimitedMs: 25_000, itemCount: 5, isUncertain: false });
  expect([...atLunch.absences.values()]).toEqual(["not-yet"]);
  const later = loopAt(all, () => undefined, Date.parse("2026-11-23T10:30:00Z"), "UTC", calendars);
  expect(later).toMatchObject({ totalMs: 28_000, itemCount: 4, isUncertain: true });
  expect([...later.absences.values()]).toEqual(["not-now", "not-yet"]);
  // Conditions: on a screen that has what items want, and on the days of its calendars.
  const on = (calendar_id: string) => ({ conditions: [{ type: "calendar", calendar_id, is_listed: true }] });
  const narrowed = [item(on("cal_1")), item(on("cal_2")), item({ conditions: [{ type: "tag", tag: "bar", is_present: true }] })];
  const shownOn = (day: string) => loopAt(narrowed, mediaOf, Date.parse(`${day}T12:00:00Z`), "UTC", calendars).itemCount;
  expect([shownOn("2026-11-23"), shownOn("2026-11-24")]).toEqual([3, 2]);
});

test("[PRV17] the preview of what is edited knows calendars that nothing stored refers to, and the tags that items want", () => {
  const item = (key: string, conditions: object[]): Row => ({ key, item: withDefaults({ type: "text", text: key, conditions } as Item) });
  const calendar = { type: "calendar", calendar_id: "cal_1", is_listed: true };
  const rows = [
    item("a", [{ type: "tag", tag: "bar", is_present: true }]),
    item("b", [calendar, { type: "tag", tag: "bar", is_present: false }]),
  ];
  const shown = { state: { playlists: [{ id: "pls_1", items: [] }] } } as unknown as Parameters<typeof withEditedItems>[0];
  const calendars = [{ id: "cal_1", dates: [{ date: "2026-12-25" }] }];
  const { state } = withEditedItems(shown, "pls_1", { rows, faults: new Map() }, calendars);
  expect(state.playlists[0]!.items.map(({ conditions }) => conditions)).toEqual([undefined, [calendar]]);
  expect(state.calendars).toEqual([{ id: "cal_1", dates: ["2026-12-25"] }]);
});
