// A drawing of the screen as it hangs, with its content: the code as it is typed, its name, or its first picture.
import { texts } from "../../i18n/texts.ts";
import { formatCode } from "./code.ts";
import type { Orientation } from "./set-up.ts";

const text = texts("pair");
const placeholder = "••••-••••";

interface ScreenPreviewProps {
  orientation: Orientation;
  /** The letters of the code so far. */
  code?: string;
  name: string;
  /** The address of the picture that it shows. */
  picture?: string | null;
}

export function ScreenPreview({ orientation, code, name, picture = null }: ScreenPreviewProps) {
  const letters = code === undefined ? null : `${formatCode(code)}${placeholder.slice(formatCode(code).length)}`;
  return (
    <figure
      className="screen-preview center pad-5 rounded-l"
      data-orientation={orientation}
      aria-label={`${text("preview")}: ${text(orientation)}`}
      role="img"
    >
      <div className="screen-preview-glass center full-width relative crop glass wide-picture shadow" aria-hidden="true">
        {picture === null ? null : <img className="full-width fill" src={picture} alt="" />}
        {letters === null || picture !== null ? null : <span className="screen-preview-code">{letters}</span>}
        {name === "" ? null : <span className="screen-preview-name truncate tiny text-center">{name}</span>}
      </div>
    </figure>
  );
}
