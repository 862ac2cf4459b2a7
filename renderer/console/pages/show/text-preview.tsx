// Shows a message as the screens will: the player's own code finds the size of the letters on a screen of full size, scaled down.
import "./content.css";
import { useLayoutEffect, useRef } from "react";
import { fitOrTruncateText } from "../../../player/items/text/fit.ts";
import { texts } from "../../i18n/texts.ts";
import { looks, type LookId } from "./looks.ts";

const words = texts("show");
const [width, height] = [1_920, 1_080];

export function TextPreview({ text, look }: { text: string; look: LookId }) {
  const frame = useRef<HTMLDivElement>(null);
  const stage = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const { color, background } = looks[look];
  useLayoutEffect(() => {
    const [outer, inner] = [frame.current!, stage.current!];
    const watch = new ResizeObserver(() => {
      inner.style.transform = `scale(${outer.clientWidth / width})`;
    });
    watch.observe(outer);
    return () => watch.disconnect();
  }, []);
  useLayoutEffect(() => {
    // A text that did not fit before was cut.
    content.current!.removeAttribute("style");
    fitOrTruncateText(content.current!, box.current!, height);
  }, [text]);
  return (
    <figure className="pad-2 rounded glass" role="img" aria-label={words("previewOf", { text })}>
      <div ref={frame} className="full-width relative crop wide-picture" style={{ backgroundColor: background, color }}>
        <div ref={stage} className="message-stage" dir="ltr">
          <div ref={box} className="message-box row crop">
            <div ref={content} className="message-words" dir="auto">
              {text === "" ? words("previewEmpty") : text}
            </div>
          </div>
        </div>
      </div>
    </figure>
  );
}
