// The ways in which a screen can stand, for comparisons of its pixels.
import { wholeLayout, type Stand } from "./comparison.ts";

/** The ways in which a screen with a panel of this size stands. */
export function standsOf(width: number, height: number): Record<string, Stand> {
  const across = { layout: { width, height }, view: wholeLayout };
  const upright = { layout: { width: height, height: width }, view: wholeLayout };
  // Of a wall that is wider and higher by a quarter, all but a margin.
  const wall = { wall_width: width * 1.25, wall_height: height * 1.25, left: width / 8, top: height / 8, width, height };
  const part = { wall, view: { left: width / 10, top: height / 10, scale: 1.25 } };
  return {
    landscape: across,
    "landscape-flipped": { ...across, orientation: "landscape-flipped" },
    portrait: { ...upright, orientation: "portrait" },
    "portrait-flipped": { ...upright, orientation: "portrait-flipped" },
    "part of a wall": { ...across, ...part },
    "a quarter of the size": { layout: { width: width / 2, height: height / 2 }, view: { ...wholeLayout, scale: 2 } },
  };
}
