// Finds the test page in a screen's picture by its corners.
import type { Framebuffer } from "../../support/browser/framebuffer.ts";
import { colours } from "../test-page-server.ts";

/** Whether the screen's corners have the colours of the page. */
export function isPage(framebuffer: Framebuffer): boolean {
  const [right, bottom] = [framebuffer.width - 1, framebuffer.height - 1];
  const corners = [framebuffer.pixel(0, 0), framebuffer.pixel(right, 0), framebuffer.pixel(right, bottom), framebuffer.pixel(0, bottom)];
  return corners.every((corner, at) => same(corner, colours[at]!));
}

/** Whether two colours are equal. */
export function same(a: readonly number[], b: readonly number[]): boolean {
  return a.every((value, at) => value === b[at]);
}
