// Video walls: one picture across several displays, each of which shows a part of it.
import { z } from "zod";

const Edge = z.int().min(0).max(65_535);
const Size = z.int().min(1).max(65_535);

/**
 * The part of a wall that one display shows. The wall has its own coordinate system, in any unit, such as millimeters. A
 * layout is scaled to fit into the wall and centered, as on a single screen. The player shows the rectangle
 * `left, top, width, height` of that picture. The space between the rectangles of neighboring displays is behind their
 * bezels, and no display shows it, so lines continue straight from one display to the next.
 */
export const WallPart = z
  .strictObject({
    wall_width: Size.describe("Width of the whole wall, including the bezels between displays"),
    wall_height: Size,
    left: Edge.describe("Position on the wall of what this display shows, without its bezel"),
    top: Edge,
    width: Size,
    height: Size,
  })
  .meta({ id: "WallPart" });
export type Wall = z.infer<typeof WallPart>;

/** A part that is within its wall. */
export const Wall = WallPart.superRefine(({ wall_width, wall_height, left, top, width, height }, context) => {
  if (left + width > wall_width) {
    context.addIssue({
      code: "custom",
      path: ["width"],
      message: `extends beyond the wall: left plus width must be at most ${wall_width}`,
    });
  }
  if (top + height > wall_height) {
    context.addIssue({
      code: "custom",
      path: ["height"],
      message: `extends beyond the wall: top plus height must be at most ${wall_height}`,
    });
  }
  // Not meta(), whose copy of the schema the description could not show as a reference to WallPart.
}).register(z.globalRegistry, { id: "Wall" });
