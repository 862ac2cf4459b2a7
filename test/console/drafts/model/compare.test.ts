// The comparison of two versions of content, without a page.
import { expect, test } from "vitest";
import { keepsContent } from "../../../../src/service/operations/operation.ts";
import { operations } from "../../../../src/service/operations/operations.ts";
import { contentKey, isContentRequest, isContentWrite } from "../../../../renderer/console/data/drafts/place.ts";
import { layoutChange, type Layout } from "../../../../renderer/console/pages/drafts/model/layout-changes.ts";
import { fieldChanges, itemChanges, rowsOf, type StoredItem } from "../../../../renderer/console/pages/drafts/model/playlist-changes.ts";
import { byDay } from "../../../../renderer/console/pages/drafts/model/versions-by-day.ts";

const item = (id: string, more: object = {}) => ({ id, type: "text", text: id, duration_ms: 5_000, ...more }) as unknown as StoredItem;
const shown = (before: StoredItem[], after: StoredItem[]) =>
  rowsOf(itemChanges(before, after)).map((row) => (row.is === "same" ? `${row.count} same` : `${row.is} ${row.key}`));

test("[CDR1] of a playlist, items that were added, removed, moved and changed are told apart, and the fewest count as moved", () => {
  const before = ["a", "b", "c", "d", "e"].map((id) => item(id));
  expect(shown(before, before)).toEqual(["5 same"]);
  const [a, b, c, d, e] = before as [StoredItem, StoredItem, StoredItem, StoredItem, StoredItem];
  expect(shown(before, [d, a, b, c, e])).toEqual(["moved d", "4 same"]);
  expect(shown(before, [a, c, item("x"), d, e])).toEqual(["1 same", "removed b", "1 same", "added x", "2 same"]);
  expect(shown(before, [b, c, d, e])).toEqual(["removed a", "4 same"]);
  const changed = itemChanges(before, [e, a, item("b", { duration_ms: 9_000 }), c, d]);
  expect(changed.filter(({ is }) => is !== "same")).toMatchObject([
    { key: "e", is: "moved", from: 5, to: 1 },
    { key: "b", is: "changed", isMoved: false, fields: [{ name: "duration_ms", before: 5_000, after: 9_000 }] },
  ]);
  expect(shown([], before)).toEqual(["added a", "added b", "added c", "added d", "added e"]);
  expect(fieldChanges({ id: "1", fit: "cover" }, { id: "2", volume: 1 })).toEqual([
    { name: "fit", before: "cover", after: undefined },
    { name: "volume", before: undefined, after: 1 },
  ]);
});

test("[CDR2] of a layout, the parts and the zones that differ are named", () => {
  const zone = (id: string, more: object = {}) => ({
    id,
    name: id,
    left: 0,
    top: 0,
    width: 100,
    height: 100,
    z_index: 0,
    playlist_id: null,
    ...more,
  });
  const layout = (zones: object[], more: object = {}) =>
    ({
      name: "L",
      width: 1_920,
      height: 1_080,
      background_color: "#000000",
      background_asset_id: null,
      transition: null,
      zones,
      ...more,
    }) as unknown as Layout;
  const change = layoutChange(
    layout([zone("a"), zone("b"), zone("c")]),
    layout([zone("a", { left: 5 }), zone("c", { z_index: 1 }), zone("d", { z_index: 2 })], { name: "M" }),
  );
  expect([...change.zones]).toEqual([
    ["a", "changed"],
    ["b", "removed"],
    ["d", "added"],
  ]);
  expect(change.differences).toEqual([
    { zone: null, part: "name" },
    { zone: "a", part: "place" },
    { zone: "b", part: "existence" },
    { zone: "d", part: "existence" },
  ]);
  const turned = layoutChange(
    layout([zone("a"), zone("b", { z_index: 1 })]),
    layout([zone("a", { z_index: 2 }), zone("b", { z_index: 1 })]),
  );
  expect(turned.differences).toEqual([{ zone: null, part: "stacking" }]);
  expect(layoutChange(null, layout([zone("a")])).differences).toEqual([]);
});

test("[CDR3] versions are grouped by the reader's days", () => {
  const at = (created_at: string) => ({ created_at });
  const dateOf = (time: Date) => new Date(time.getTime() + 3_600_000).toISOString().slice(0, 10);
  const days = byDay(
    [at("2026-11-23T10:00:00Z"), at("2026-11-22T23:30:00Z"), at("2026-11-22T22:59:00Z"), at("2026-11-01T00:00:00Z")],
    new Date("2026-11-23T12:00:00Z"),
    dateOf,
  );
  expect(days.map(({ date, ago, entries }) => [date, ago, entries.length])).toEqual([
    ["2026-11-23", 0, 2],
    ["2026-11-22", 1, 1],
    ["2026-11-01", 22, 1],
  ]);
});

test("[CDR4] only what the service can do in a draft is asked of it in one, and only what changes content makes one by itself", () => {
  const paths = operations.filter(({ caller }) => caller === "operator").map(({ path, drafts }) => ({ path, isContent: drafts === true }));
  const ids = { player: "plr_01jd3v8q6m9x2k4n7r5t1w0yzh", other: "pls_01jd3v8q6m9x2k4n7r5t1w0yzh" };
  const exampleOf = (path: string) =>
    path.replace("{number}", "12").replaceAll(/\{[^}]*\}/g, path.startsWith("/players") ? ids.player : ids.other);
  const differing = paths.filter(({ path, isContent }) => isContentRequest(`/api/v1${exampleOf(path)}`) !== isContent);
  expect(differing).toEqual([]);
  expect(contentKey(["playlists", "list"])).toEqual(["playlists", "list"]);
  // Only what changes content makes a draft for a person who needs an approval.
  const contents = operations.filter(({ caller, drafts }) => caller === "operator" && drafts === true);
  for (const operation of contents) {
    const path = `/api/v1${exampleOf(operation.path)}`;
    expect(isContentWrite(operation.method, path, new URLSearchParams()), operation.name).toBe(!keepsContent(operation));
    expect(isContentWrite(operation.method, path, new URLSearchParams("dry_run=true"))).toBe(false);
  }
});
