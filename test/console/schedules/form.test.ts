// What the form of a schedule makes of conditions, and of the changes of two people, without a page.
import { expect, test } from "vitest";
import {
  isComplete,
  kindOf,
  openingsOf,
  valueAs,
  withDay,
  withOpenings,
  withOperator,
} from "../../../renderer/console/pages/schedules/model/conditions.ts";
import { changeOf, valuesOf, type Schedule } from "../../../renderer/console/pages/schedules/model/form.ts";
import { mergeValues, withParts } from "../../../renderer/console/pages/schedules/model/merge.ts";

const schedule = {
  id: "sch_01jd3v8q6m9x2k4n7r5t1w0yzh",
  name: "Lunch",
  layout_id: "lay_01jd3v8q6m9x2k4n7r5t1w0yzh",
  target: { type: "tag", tag: "hall" },
  starts_at: "2026-11-24T11:00:30",
  ends_at: "2026-11-24T14:00",
  rrule: "FREQ=DAILY",
  exdates: [],
  timezone: null,
  priority: 0,
  conditions: [],
  enabled: true,
  interrupt: null,
  sync_epoch: null,
  loop_from: "epoch",
} as unknown as Schedule;
const values = valuesOf(schedule);

test("[CSD14] conditions keep their meaning: one time span is a daypart, several are hours, and values of variables keep their kind", () => {
  const spans = [
    { from: "09:00", until: "12:00" },
    { from: "14:00", until: "18:00", weekdays: ["MO" as const] },
  ];
  expect(withOpenings(spans)).toEqual({ type: "hours", open: spans });
  expect(withOpenings(spans.slice(0, 1))).toEqual({ type: "daypart", ...spans[0] });
  expect(withOpenings([])).toBe(null);
  for (const some of [spans, spans.slice(1)]) expect(openingsOf(withOpenings(some)!)).toEqual(some);
  expect(["5", 5, true].map(kindOf)).toEqual(["text", "number", "yesno"]);
  expect([valueAs("number", "5"), valueAs("text", 5), valueAs("yesno", "true"), valueAs("number", "door")]).toEqual([5, "5", true, 0]);
  const door = { type: "variable", name: "door", op: "equals", value: "3" } as const;
  expect(withOperator(door, "at_least")).toEqual({ ...door, op: "at_least", value: 3 });
  expect(withOperator(door, "not_equals")).toEqual({ ...door, op: "not_equals" });
  expect(withDay({ type: "date", from: "2026-11-24" }, "until", "2026-12-24")).toEqual({
    type: "date",
    from: "2026-11-24",
    until: "2026-12-24",
  });
  expect(withDay({ type: "date", from: "2026-11-24" }, "from", "")).toEqual({ type: "date" });
  expect(
    [{ type: "date" }, { ...door, name: "Door" }, { type: "daypart", from: "09:00", until: "09:00" }].map((each) =>
      isComplete(each as never),
    ),
  ).toEqual([false, false, false]);
});

test("[CSD16] a change of a schedule names only what differs; of two people's changes only what both changed differently is asked", () => {
  expect(changeOf(values, schedule)).toEqual({});
  expect(changeOf({ ...values, priority: 5, endTime: "15:00" }, schedule)).toEqual({ priority: 5, ends_at: "2026-11-24T15:00" });
  const mine = { ...values, name: "Mine", endTime: "15:00", conditions: [{ type: "tag" as const, tag: "bar", is_present: true }] };
  const theirs = { ...values, priority: 7, name: "Theirs", endTime: "15:00" };
  const merged = mergeValues(values, mine, theirs);
  expect(merged.contradictions).toEqual(["name"]);
  expect(merged.values).toEqual({ ...mine, priority: 7 });
  expect(withParts(merged.values, merged.contradictions, theirs)).toEqual({ ...mine, priority: 7, name: "Theirs" });
  // Times belong together: half of each would be a schedule that nobody wanted.
  expect(mergeValues(values, { ...values, startTime: "10:00" }, { ...values, endTime: "16:00" }).contradictions).toEqual(["when"]);
  expect(mergeValues(values, mine, values)).toEqual({ values: mine, contradictions: [] });
  expect(mergeValues(values, values, theirs)).toEqual({ values: theirs, contradictions: [] });
});
