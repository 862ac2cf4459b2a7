// The proportions of a preview's place, also before there is a picture.
import type { CSSProperties } from "react";

/** The style of an element of the class `preview`. @param size of the screen */
export function boxStyle({ width, height }: { width: number; height: number }): CSSProperties {
  return { "--preview-ratio": width / height } as CSSProperties;
}
