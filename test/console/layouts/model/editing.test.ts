import fc from "fast-check";
import { expect, test } from "vitest";
import { isSameLayout, toChange, toEdited, type EditedLayout } from "../../../../renderer/console/pages/layouts/model/edited-layout.ts";
import {
  decide,
  edit,
  isDirty,
  openEditor,
  receive,
  redoStep,
  confirmSave,
  select,
  undoStep,
  type Editor,
} from "../../../../renderer/console/pages/layouts/model/editor.ts";
import { merge } from "../../../../renderer/console/pages/layouts/model/merge.ts";
import { moveZones, setZone } from "../../../../renderer/console/pages/layouts/model/place.ts";
import { addZone, removeZones } from "../../../../renderer/console/pages/layouts/model/zones.ts";
import { layout, order, place, stored, zone } from "./samples.ts";

const a = zone("a", [0, 0, 400, 400]);
const b = zone("b", [500, 0, 400, 400]);
const c = zone("c", [1_000, 0, 400, 400]);
const all = [a, b, c];

function act(editor: Editor, change: (layout: EditedLayout) => EditedLayout, at = 0, token?: string): Editor {
  return edit(editor, change(editor.history.present), { act: "move", at, ...(token === undefined ? {} : { token }) });
}
const now = (editor: Editor) => editor.history.present;
const moved = (key: string, x: number) => (each: EditedLayout) => moveZones(each, [key], { x, y: 0 });

test("[CLY7] every step is undone and redone, quick steps of one key are one, and a step of no effect is none", () => {
  const first = select(openEditor(stored(all, "1")), ["a"]);
  let editor = first;
  for (let press = 0; press < 5; press += 1) editor = act(editor, moved("a", 1), press * 100, "keys a");
  editor = act(editor, moved("a", 0), 600);
  editor = act(editor, moved("b", 10), 600);
  editor = act(editor, moved("a", 1), 9_000, "keys a");
  expect(editor.history.past).toHaveLength(3);
  const places = [editor];
  while (places[0]!.history.past.length > 0) places.unshift(undoStep(places[0]!));
  expect(places.map((each) => `${now(each).zones[0]!.left} ${now(each).zones[1]!.left}`)).toEqual(["0 500", "5 500", "5 510", "6 510"]);
  expect(now(redoStep(redoStep(redoStep(redoStep(places[0]!)))))).toEqual(now(editor));
  expect(redoStep(act(undoStep(editor), moved("c", 3))).history.future).toEqual([]);
  expect([isDirty(editor), isDirty(places[0]!)]).toEqual([true, false]);
});

test("[CLY7] only what was changed is sent, zones keep their ids, and new ones and those brought back get one", () => {
  const opened = openEditor(stored(all, "1"));
  expect(toChange(opened.base, now(opened), opened.ids)).toBeNull();
  const renamed = act(opened, (each) => ({ ...each, name: "Hall" }));
  expect(toChange(renamed.base, now(renamed), renamed.ids)).toEqual({ name: "Hall" });
  let editor = act(opened, (each) => addZone(removeZones(each, ["b"]), "new-1", "New"));
  expect(toChange(editor.base, now(editor), editor.ids)!.zones!.map(({ id }) => id)).toEqual(["a", "c", undefined]);

  const sent = now(editor);
  const answer = stored([a, c, { ...sent.zones[2]!, key: "zon_9" }], "2");
  editor = confirmSave(
    act(editor, (each) => setZone(each, "new-1", { height: 100 })),
    sent,
    answer,
  );
  expect([order(now(editor)), isDirty(editor), editor.etag]).toEqual(["a c new-1", true, "2"]);
  expect(toChange(editor.base, now(editor), editor.ids)!.zones!.map(({ id }) => id)).toEqual(["a", "c", "zon_9"]);
  // The removed zone is brought back: the service no longer knows its id.
  editor = undoStep(undoStep(editor));
  expect(toChange(editor.base, now(editor), editor.ids)!.zones!.map(({ id }) => id)).toEqual(["a", undefined, "c"]);
});

test("[CLY8] the changes of two people to different zones, or to different parts of one, are all kept", () => {
  let mine = act(openEditor(stored(all, "1")), moved("a", 50));
  mine = act(mine, (each) => addZone(each, "new-1", "Mine"));
  const theirs = [{ ...b, playlist_id: "pls_1" }, { ...a, name: "Theirs" }, { ...c, top: 600 }, zone("d", [0, 900, 10, 10])];
  mine = receive(mine, stored(theirs, "2", { background_color: "#ffffff" }));
  expect(mine.conflicts).toEqual([]);
  expect(
    now(mine)
      .zones.map(({ name }) => name)
      .toSorted(),
  ).toEqual(["Mine", "Theirs", "b", "c", "d"]);
  expect(now(mine).zones.find(({ key }) => key === "a")).toMatchObject({ left: 50, name: "Theirs" });
  expect([place(now(mine), "c"), now(mine).background_color, now(mine).zones.find(({ key }) => key === "b")!.playlist_id]).toEqual([
    "1000,600 400×400",
    "#ffffff",
    "pls_1",
  ]);
  expect(mine.news).toEqual([
    { zone: null, part: "background" },
    { zone: null, part: "stacking" },
    { zone: "a", part: "name" },
    { zone: "b", part: "playlist" },
    { zone: "c", part: "place" },
    { zone: "d", part: "existence" },
  ]);
  // Undoing takes back my steps and none of theirs.
  const undone = undoStep(undoStep(mine));
  expect(isDirty(undone)).toBe(false);
  expect(isSameLayout(now(undone), toEdited(stored(theirs, "2", { background_color: "#ffffff" }).layout))).toBe(true);
});

test("[CLY8] what two people have changed into different things is a conflict that a person decides, and the other work stays", () => {
  const opened = openEditor(stored(all, "1"));
  const mine = act(act(opened, moved("a", 50)), (each) => setZone(removeZones(each, ["c"]), "b", { name: "Mine" }));
  const theirs = [
    { ...a, left: 70 },
    { ...c, top: 600 },
  ];
  const met = receive(mine, stored(theirs, "2"));
  expect(met.conflicts).toEqual([
    { zone: "a", part: "place" },
    { zone: "b", part: "existence" },
    { zone: "c", part: "existence" },
  ]);
  expect([place(now(met), "a"), order(now(met))]).toEqual(["50,0 400×400", "a b"]);
  const [ofA, ofB, ofC] = met.conflicts;
  const decided = decide(decide(decide(met, ofA!, "theirs", 0), ofB!, "mine", 0), ofC!, "theirs", 0);
  expect([decided.conflicts, place(now(decided), "a"), order(now(decided)), place(now(decided), "c")]).toEqual([
    [],
    "70,0 400×400",
    "a b c",
    "1000,600 400×400",
  ]);
  expect(toChange(decided.base, now(decided), decided.ids)!.zones!.map(({ id }) => id)).toEqual(["a", undefined, "c"]);
  // The decision can be undone as well, and a conflict ends when both have become the same.
  expect(order(now(undoStep(decided)))).toBe("a b");
  expect(act(met, moved("a", 20)).conflicts.map(({ zone: key }) => key)).toEqual(["b", "c"]);
});

test("[CLY8] zones that were saved although the response was lost are not doubled", () => {
  const mine = act(openEditor(stored(all, "1")), (each) => addZone(each, "new-1", "New"));
  const met = receive(mine, stored([...all, { ...now(mine).zones[3]!, key: "zon_9" }], "2"));
  expect([order(now(met)), isDirty(met), met.conflicts]).toEqual(["a b c new-1", false, []]);
});

test("[CLY8] merging loses nobody's change: each difference from the base is in the result or in the conflicts", () => {
  const key = fc.constantFrom("a", "b", "c");
  const change = fc.oneof(
    fc.record({ key, left: fc.integer({ min: 0, max: 1_500 }) }),
    fc.record({ key, name: fc.constantFrom("x", "y", "z") }),
    fc.record({ key, playlist_id: fc.constantFrom("pls_1", "pls_2") }),
  );
  const base = layout(all);
  const apply = (changes: readonly { key: string }[]) =>
    changes.reduce((each, { key: changed, ...rest }) => setZone(each, changed, rest), base);
  fc.assert(
    fc.property(fc.array(change), fc.array(change), (ours, others) => {
      const [mine, theirs] = [apply(ours), apply(others)];
      const { layout: merged, conflicts } = merge(base, mine, theirs);
      for (const [index, before] of base.zones.entries())
        for (const [field, part] of [
          ["left", "place"],
          ["name", "name"],
          ["playlist_id", "playlist"],
        ] as const) {
          const result = merged.zones[index]![field];
          const [own, other] = [mine.zones[index]![field], theirs.zones[index]![field]];
          const isConflict = conflicts.some((each) => each.zone === before.key && each.part === part);
          expect(isConflict).toBe(own !== other && own !== before[field] && other !== before[field]);
          expect(result).toBe(own === before[field] ? other : own);
        }
    }),
  );
});
