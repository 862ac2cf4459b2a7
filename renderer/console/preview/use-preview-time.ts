// The time of a preview: which instant it shows, whether it runs, and the part of time in which a person moves.
import { useMemo, useState } from "react";
import { hourMs } from "../../../src/base/time.ts";
import { texts } from "../i18n/texts.ts";
import type { PreviewFeed } from "../../../src/protocol/operator/previews.ts";
import { feedContentOf, type PreviewContent } from "./content.ts";
import { PreviewPlayback } from "./playback.ts";

const text = texts("preview");

export interface PreviewTime {
  /** The instant from which the preview runs on, and its speed. Another object shows another instant. */
  showing: { at: number; rate: number };
  /** The instant that is shown, as of a moment ago. */
  time: number;
  /** Where a slider moves: the loop of a layout or a playlist if it is not too long, else an hour. */
  span: { from: number; lengthMs: number };
  isRunning: boolean;
  /** When the item before and the one after appear; null: there is none. */
  changes: { before: number | null; after: number | null };
  setTime: (time: number) => void;
  /** Goes to an instant, and the slider with it. It stands still there. */
  goTo: (at: number) => void;
  /** Goes to an instant of the slider's. A running preview runs on. */
  scrub: (at: number) => void;
  toggle: () => void;
}

/** @param isLoop whether it is of a layout or a playlist, which begin again and again */
export function usePreviewTime(content: PreviewContent | null, isLoop: boolean, startAt?: number): PreviewTime {
  const [mountedAt] = useState(() => Date.now());
  const [showing, setShowing] = useState({ at: startAt ?? mountedAt, rate: 0 });
  const [time, setTime] = useState(showing.at);
  const [windowFrom, setWindowFrom] = useState(showing.at);
  const playback = useMemo(() => (content === null ? null : playbackOf(content)), [content]);
  const span = useMemo(() => spanOf(playback, isLoop, windowFrom), [playback, isLoop, windowFrom]);
  const changes = useMemo(() => playback?.changesAround(time) ?? { before: null, after: null }, [playback, time]);
  const isRunning = showing.rate > 0;
  const move = (to: number): void => {
    setTime(to);
    // Past the slider's end it shows the next round of a loop, or the next hour.
    if (to < span.from || to > span.from + span.lengthMs) setWindowFrom(to);
  };
  return {
    showing,
    time,
    span,
    isRunning,
    changes,
    setTime: move,
    goTo: (at) => {
      setShowing({ at, rate: 0 });
      setTime(at);
      setWindowFrom(at);
    },
    scrub: (at) => {
      move(at);
      setShowing({ at, rate: showing.rate });
    },
    toggle: () => setShowing({ at: time, rate: isRunning ? 0 : 1 }),
  };
}

/** A playback to calculate with. The content of feeds does not matter to it. */
export function playbackOf(content: PreviewContent, feeds: readonly PreviewFeed[] = []): PreviewPlayback {
  return new PreviewPlayback(content, feedContentOf(feeds, text("noFeed")));
}

function spanOf(playback: PreviewPlayback | null, isLoop: boolean, from: number): PreviewTime["span"] {
  const anHour = { from, lengthMs: hourMs };
  if (playback === null || !isLoop) return anHour;
  const loop = playback.loopAt(from);
  return loop === null || loop.lengthMs > hourMs ? anHour : loop;
}
