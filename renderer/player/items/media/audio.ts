// A sound: heard while its zone shows its artwork, its colour, or what lies beneath.
import type { SceneItem } from "../../../../src/protocol/scene.ts";
import { make, setSeen } from "../../dom.ts";
import { Picture } from "../image/image.ts";
import { type Item, ItemFailure, prepareLimitMs, prime, reveal, type Surroundings, within } from "../item.ts";
import { Track } from "./track.ts";

/** An audio item. */
export function createAudio(item: Extract<SceneItem, { type: "audio" }>, around: Surroundings): Item {
  const sound = make("audio", "sound");
  const element = make("div", "item audio", sound);
  if (item.background_color !== undefined) element.style.backgroundColor = item.background_color;
  const artwork = item.artwork_src === null ? null : new Picture(item.artwork_src, item.fit, element);
  const track = new Track(sound, { ...item, muted: false }, around);
  return {
    element,
    async prepare(signal) {
      const late = (): ItemFailure => new ItemFailure("timeout", `not loaded within ${prepareLimitMs} ms`);
      await Promise.all([within(track.load(), prepareLimitMs, signal, late), artwork?.load(around, signal)]);
      await prime(element, around.frames, signal);
      setSeen(element, "no");
    },
    show() {
      track.play();
      return reveal(element, around);
    },
    playUntil: (instant) => track.playUntil(instant),
    hide: () => {
      setSeen(element, "no");
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
