// What the timeline says of stretches in which a layout is due that has nothing to show.
import { expect, test } from "vitest";
import type { Stretch } from "../../../renderer/console/pages/timeline/data.ts";
import { changeOf, isGap, piecesOf, type Piece } from "../../../renderer/console/pages/timeline/pieces.ts";
import { causeOf, labelOf, whatOf } from "../../../renderer/console/pages/timeline/words.ts";
import { causeOf as causeInWeek, nameOf } from "../../../renderer/console/pages/screen/overview/words.ts";
import { contentOf } from "../../../renderer/console/pages/screen/overview/week.ts";
import { daysFrom } from "../../../renderer/console/data/zones.ts";

const stretch: Stretch = {
  from: "2026-11-24T00:00:00.000Z",
  to: "2026-11-24T12:00:00.000Z",
  by: "schedule",
  schedule_id: "sch_1",
  schedule_name: "Noon",
  override_id: null,
  layout_id: "lay_1",
  layout_name: "Menu",
  asset_id: null,
  loops_from: null,
  turns: [],
  content: "x",
  empty_because: null,
};
const empty: Stretch = { ...stretch, content: "", empty_because: "no-items" };
const notDue: Stretch = { ...empty, by: "nothing", layout_id: null, layout_name: null, schedule_id: null, empty_because: "not-due" };
const turns = [{ schedule_id: "sch_2", schedule_name: "Advert" }];

test("[CSD20] the timeline and the week of a screen say of a layout without anything to show that it is due, and empty", () => {
  expect([stretch, empty, notDue].map(isGap)).toEqual([false, true, true]);
  expect([whatOf(empty), labelOf(empty)]).toEqual(["Empty", "Empty: what is due has nothing to show"]);
  expect(causeOf(empty)).toBe("“Menu” is due (by the schedule “Noon”), but none of its zones has an item to show then");
  expect([nameOf(empty), contentOf(empty)]).toEqual(["Nothing", null]);
  expect(causeInWeek(empty)).toBe("“Menu” is due (by the schedule “Noon”), but has nothing to show");
  expect([whatOf(stretch), causeOf(stretch), contentOf(stretch)]).toEqual(["Menu", "by the schedule “Noon”", "lay_1"]);
  expect([labelOf(notDue), contentOf(notDue)]).toEqual(["Empty: no schedule is due", null]);
});

test("[CSD20] content that takes turns is named as what is shown, and if none of it can be shown, as what is empty", () => {
  const shown: Stretch = { ...notDue, content: "y", turns, empty_because: null };
  expect([whatOf(shown), causeOf(shown)]).toEqual([
    "Advert",
    "no schedule is due, and it has no layout of its own, taking turns with Advert",
  ]);
  const none: Stretch = { ...notDue, turns, empty_because: "no-items" };
  expect([whatOf(none), causeOf(none)]).toEqual(["Empty", "of what is due in turns (Advert), nothing has an item to show then"]);
});

test("[CSD20] beside another plan, an empty screen differs from one that shows something, and not from another empty one", () => {
  const pieceOf = (each: Stretch): Piece => {
    const days = daysFrom(each.from, "UTC", 1);
    return piecesOf({ timezone: "UTC", stretches: [each], to: each.to }, days)[0]!;
  };
  expect(changeOf(pieceOf(empty), [pieceOf(stretch)])).toBe("shown");
  expect(changeOf(pieceOf(empty), [pieceOf(notDue)])).toBe(null);
});
