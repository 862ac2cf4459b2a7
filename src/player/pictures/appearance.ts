// How a picture looks, roughly: a small grey thumbnail that tells whether another picture shows the same.
import { loadSharp } from "./load-sharp.ts";

/** The brightness of each cell of a grid over a picture. */
export type Appearance = Uint8Array;

const columns = 64;
const rows = 36;
// Encoding the same screen twice changes a cell by at most three.
const cellDifference = 12;
// A clock with its digits changes fewer cells than that, and so does a pointer or a progress bar: nobody wants a picture each minute
// because the time has changed. A headline, another item in a zone or a message does change more.
const changedShare = 0.01;

export async function appearanceOf(picture: Buffer): Promise<Appearance> {
  const sharp = await loadSharp();
  return sharp(picture).resize(columns, rows, { fit: "fill" }).greyscale().raw().toBuffer();
}

/** True if two pictures look the same to people: at most one hundredth of the picture differs. */
export function looksSame(one: Appearance, other: Appearance): boolean {
  const changed = one.filter((value, place) => Math.abs(value - (other[place] ?? 0)) > cellDifference).length;
  return changed <= changedShare * columns * rows;
}
