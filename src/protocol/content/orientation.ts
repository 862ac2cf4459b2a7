// How a display hangs: by how much the whole picture is turned to stand upright on it.
import { z } from "zod";

/** `portrait` turns the picture a quarter clockwise, `portrait-flipped` a quarter counter-clockwise, `landscape-flipped` by half. */
export const Orientation = z.enum(["landscape", "portrait", "landscape-flipped", "portrait-flipped"]);
export type Orientation = z.infer<typeof Orientation>;

/** Degrees clockwise by which the whole glass is turned. */
export const Rotation = z.union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)]);
export type Rotation = z.infer<typeof Rotation>;

const rotations = { landscape: 0, portrait: 90, "landscape-flipped": 180, "portrait-flipped": 270 } as const satisfies Record<
  Orientation,
  Rotation
>;

/** The turn that an orientation asks for. */
export function rotationOf(orientation: Orientation): Rotation {
  return rotations[orientation];
}
