// Video walls: one picture over several displays, of which each shows its part.
import { z } from "zod";

const Edge = z.int().min(0).max(65_535);
const Size = z.int().min(1).max(65_535);

/**
 * The part of a wall that one display shows. The wall has a coordinate system of its own, in any unit, millimetres for
 * one: a layout is scaled to fit into it whole, in its middle, as it is on a single screen; of that picture the player
 * shows the rectangle `left, top, width, height`. What lies between the rectangles of neighbours is behind their
 * bezels and shown by none: so lines go on straight from one display to the next.
 */
export const WallPart = z.strictObject({
  wall_width: Size.describe("Of the whole wall, bezels between displays included"),
  wall_height: Size,
  left: Edge.describe("Of what this display shows, without its bezel, on the wall"),
  top: Edge,
  width: Size,
  height: Size,
});
export type Wall = z.infer<typeof WallPart>;

/** A part that lies on its wall. */
export const Wall = WallPart.superRefine(({ wall_width, wall_height, left, top, width, height }, context) => {
  if (left + width > wall_width) {
    context.addIssue({
      code: "custom",
      path: ["width"],
      message: `reaches beyond the wall: left and width are at most ${wall_width} together`,
    });
  }
  if (top + height > wall_height) {
    context.addIssue({
      code: "custom",
      path: ["height"],
      message: `reaches beyond the wall: top and height are at most ${wall_height} together`,
    });
  }
});
