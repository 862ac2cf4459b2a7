// An audio item: plays a sound while its zone shows its artwork, its colour or the layout behind it.
import type { SceneItem } from "../../../../src/protocol/scene.ts";
import { createElement, setVisibility } from "../../dom.ts";
import { Picture } from "../image/image.ts";
import { type Item, ItemFailure, prepareTimeoutMs, paintHidden, reveal, type ItemContext, withTimeout } from "../item.ts";
import { Track } from "./track.ts";

/** Creates an audio item. */
export function createAudio(item: Extract<SceneItem, { type: "audio" }>, context: ItemContext): Item {
  const sound = createElement("audio", "sound");
  const element = createElement("div", "item audio", sound);
  if (item.background_color !== undefined) element.style.backgroundColor = item.background_color;
  const artwork = item.artwork_src === null ? null : new Picture(item.artwork_src, item.fit, element, item.artwork_is_svg);
  const track = new Track(sound, { ...item, muted: false }, context);
  return {
    element,
    async prepare(signal) {
      const createTimeout = (): ItemFailure => new ItemFailure("timeout", `not loaded within ${prepareTimeoutMs} ms`);
      await Promise.all([withTimeout(track.load(), prepareTimeoutMs, signal, createTimeout), artwork?.load(context, signal)]);
      await paintHidden(element, context.frames, signal);
      setVisibility(element, "hidden");
    },
    show() {
      track.play();
      return reveal(element, context);
    },
    playUntil: (instant) => track.playUntil(instant),
    hide: () => {
      setVisibility(element, "hidden");
      // Unlike a picture, a sound is not covered by the next item.
      sound.pause();
    },
    dispose() {
      track.dispose();
      artwork?.release();
      element.remove();
    },
  };
}
