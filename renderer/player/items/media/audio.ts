// A sound: heard while its zone shows its artwork, its colour, or what lies beneath.
import type { SceneItem } from "../../../../src/protocol/scene.ts";
import { createElement, setVisibility } from "../../dom.ts";
import { Picture } from "../image/image.ts";
import { type Item, ItemFailure, prepareTimeoutMs, paintHidden, reveal, type ItemContext, withTimeout } from "../item.ts";
import { Track } from "./track.ts";

/** An audio item. */
export function createAudio(item: Extract<SceneItem, { type: "audio" }>, around: ItemContext): Item {
  const sound = createElement("audio", "sound");
  const element = createElement("div", "item audio", sound);
  if (item.background_color !== undefined) element.style.backgroundColor = item.background_color;
  const artwork = item.artwork_src === null ? null : new Picture(item.artwork_src, item.fit, element);
  const track = new Track(sound, { ...item, muted: false }, around);
  return {
    element,
    async prepare(signal) {
      const late = (): ItemFailure => new ItemFailure("timeout", `not loaded within ${prepareTimeoutMs} ms`);
      await Promise.all([withTimeout(track.load(), prepareTimeoutMs, signal, late), artwork?.load(around, signal)]);
      await paintHidden(element, around.frames, signal);
      setVisibility(element, "no");
    },
    show() {
      track.play();
      return reveal(element, around);
    },
    playUntil: (instant) => track.playUntil(instant),
    hide: () => {
      setVisibility(element, "no");
      // Unlike a picture, a sound is not covered by the next one.
      sound.pause();
    },
    dispose() {
      track.dispose();
      artwork?.release();
      element.remove();
    },
  };
}
