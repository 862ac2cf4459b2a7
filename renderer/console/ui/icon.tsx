// The icons: lines of 1.75 px on a grid of 24 px, in the colour of the text. They say nothing by themselves; a text beside them does.
import { iconPaths, type IconName } from "./icon-paths.ts";

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={iconPaths[name]} />
    </svg>
  );
}
