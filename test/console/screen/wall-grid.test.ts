// The place of a screen in a video wall, as rows and columns and as the part that the service has.
import fc from "fast-check";
import { expect, test } from "vitest";
import { gridOf, mostAcross, wallOf } from "../../../renderer/console/pages/screen/settings/wall-grid.ts";
import { Wall } from "../../../src/protocol/content/wall.ts";

const grids = fc
  .record({
    columns: fc.integer({ min: 1, max: 20 }),
    rows: fc.integer({ min: 1, max: 20 }),
    column: fc.nat(19),
    row: fc.nat(19),
    displayWidth: fc.integer({ min: 1, max: 4_000 }),
    displayHeight: fc.integer({ min: 1, max: 4_000 }),
    gap: fc.nat(200),
  })
  .filter(({ columns, rows, column, row }) => column < columns && row < rows)
  .filter(({ displayWidth, displayHeight, gap }) => gap < Math.min(displayWidth, displayHeight));

test("[CSC16] the place of a screen among equal displays of a video wall is told by rows and columns, and written back as the same part", () => {
  fc.assert(
    fc.property(grids, (grid) => {
      const wall = wallOf(grid);
      if (wall === null) return;
      expect(Wall.parse(wall)).toEqual(wall);
      const read = gridOf(wall);
      expect(read).not.toBeNull();
      expect(wallOf(read!)).toEqual(wall);
      // Without a neighbor a gap means nothing; displays far from each other may lie like more displays side by side.
      const { columns, rows, displayWidth, displayHeight, gap } = grid;
      const isNarrow = gap * mostAcross < Math.min(displayWidth, displayHeight);
      if (isNarrow && (columns > 1 || rows > 1)) expect(read).toEqual(grid);
    }),
  );
  const four = { columns: 4, rows: 1, column: 3, row: 0, displayWidth: 1_920, displayHeight: 1_080, gap: 0 };
  expect(gridOf(wallOf(four)!)).toEqual(four);
  const irregular = { wall_width: 4_000, wall_height: 1_000, left: 100, top: 50, width: 1_500, height: 900 };
  expect(gridOf(irregular)).toBeNull();
});
