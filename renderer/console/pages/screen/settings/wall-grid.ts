// A video wall of equal displays in rows and columns, as the part of the wall that one of them shows. Pure.
import type { Wall } from "../../../../../src/protocol/content/wall.ts";

/** Columns and rows count from 0. Sizes are in any unit, such as millimeters or pixels. */
export interface WallGrid {
  columns: number;
  rows: number;
  column: number;
  row: number;
  displayWidth: number;
  displayHeight: number;
  /** Between the pictures of neighbors: their two bezels. */
  gap: number;
}

const longest = 65_535;
export const mostAcross = 20;

/** @returns the part, or null if the wall is larger than the service accepts. */
export function wallOf({ columns, rows, column, row, displayWidth, displayHeight, gap }: WallGrid): Wall | null {
  const wall_width = columns * displayWidth + (columns - 1) * gap;
  const wall_height = rows * displayHeight + (rows - 1) * gap;
  if (wall_width > longest || wall_height > longest) return null;
  const [left, top] = [column * (displayWidth + gap), row * (displayHeight + gap)];
  return { wall_width, wall_height, left, top, width: displayWidth, height: displayHeight };
}

/** @returns the rows and columns with the smallest gap; null if the part is not one of equal displays in rows and columns. */
export function gridOf(wall: Wall): WallGrid | null {
  const { wall_width, wall_height, left, top, width, height } = wall;
  let best: WallGrid | null = null;
  for (let columns = 1; columns <= Math.min(mostAcross, wall_width / width); columns += 1) {
    for (let rows = 1; rows <= Math.min(mostAcross, wall_height / height); rows += 1) {
      const gap = columns > 1 ? (wall_width - columns * width) / (columns - 1) : rows > 1 ? (wall_height - rows * height) / (rows - 1) : 0;
      // Displays have no gap between them that another display would fit into.
      if (!Number.isInteger(gap) || gap < 0 || gap >= Math.min(width, height)) continue;
      const [column, row] = [left / (width + gap), top / (height + gap)];
      const grid = { columns, rows, column, row, displayWidth: width, displayHeight: height, gap };
      const isPlace = Number.isInteger(column) && Number.isInteger(row) && column < columns && row < rows;
      if (isPlace && isPartOf(grid, wall) && (best === null || gap < best.gap)) best = grid;
    }
  }
  return best;
}

/** True if a part is the one that these rows and columns mean. */
export function isPartOf(grid: WallGrid, wall: Wall): boolean {
  const part = wallOf(grid);
  return part !== null && (Object.keys(wall) as (keyof Wall)[]).every((name) => part[name] === wall[name]);
}
