// How a display is mounted, and the rotation that makes the picture upright.
import { z } from "zod";

/** `portrait` rotates the picture 90° clockwise, `portrait-flipped` 90° counter-clockwise, `landscape-flipped` 180°. */
export const Orientation = z.enum(["landscape", "portrait", "landscape-flipped", "portrait-flipped"]).meta({ id: "Orientation" });
export type Orientation = z.infer<typeof Orientation>;

/** Degrees clockwise by which the whole screen is rotated. */
export const Rotation = z.union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)]);
export type Rotation = z.infer<typeof Rotation>;

const rotations = { landscape: 0, portrait: 90, "landscape-flipped": 180, "portrait-flipped": 270 } as const satisfies Record<
  Orientation,
  Rotation
>;

/** The rotation for an orientation. */
export function rotationOf(orientation: Orientation): Rotation {
  return rotations[orientation];
}
