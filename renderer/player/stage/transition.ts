// Runs a transition between two elements, by time and not by frames, with properties that the compositor animates by itself.
import type { Transition } from "../../../src/protocol/content/transition.ts";
import type { FrameCounter } from "../frame-counter.ts";
import { followClock } from "../link/clocked-animations.ts";
import type { PageClock } from "../link/clock.ts";

type Direction = Transition["direction"];

/**
 * The keyframes of both elements, and whether their colours are added up: two half-transparent pictures over each other
 * would let the background through. Both have to be in an isolated group without a background, which would be added, too.
 */
interface Motion {
  incoming: Keyframe[];
  outgoing: Keyframe[];
  adds: boolean;
}

type KeyframeAt = Keyframe & { offset: number };

/** The elements, the transition and its start, corrected wall time. */
export interface LayerChange {
  incoming: HTMLElement;
  outgoing: HTMLElement;
  transition: Transition;
  beginsAt: number;
}

/** How smooth a transition was. */
export interface TransitionResult {
  frames: number;
  durationMs: number;
}

const noResult: TransitionResult = { frames: 0, durationMs: 0 };
// Both pictures are never smaller than their element, so that no edge of one is seen on the other.
const zoomBy = 1.12;
// The edge from which the new picture comes: its axis and its side.
const origins: Record<Direction, { axis: "X" | "Y"; sign: 1 | -1 }> = {
  left: { axis: "X", sign: 1 },
  right: { axis: "X", sign: -1 },
  up: { axis: "Y", sign: 1 },
  down: { axis: "Y", sign: -1 },
};

/** The motion of a transition. Its end looks like the new picture alone, for pictures of any proportions. */
function motionOf(type: Exclude<Transition["type"], "cut">, direction: Direction): Motion {
  const still = { transform: "none" };
  switch (type) {
    case "crossfade":
      return { incoming: fade(0, 1), outgoing: fade(1, 0), adds: true };
    case "zoom":
      return {
        incoming: [...scale(zoomBy, 1), ...fade(0, 1)].toSorted(byOffset),
        outgoing: [...scale(1, zoomBy), ...fade(1, 0)].toSorted(byOffset),
        adds: true,
      };
    case "push":
      return { incoming: [beside(direction, 1), still], outgoing: [still, beside(direction, -1)], adds: false };
    case "slide":
      return { incoming: [beside(direction, 1), still], outgoing: cover(direction), adds: false };
    case "wipe":
      return { incoming: uncover(direction), outgoing: cover(direction), adds: false };
  }
}

/**
 * Runs a transition and calls `onEnd` once: in the frame in which it is over, or when the returned function is called, which
 * ends it at once. Afterwards the elements are as they would be without a transition.
 */
export function runTransition(
  { incoming, outgoing, transition, beginsAt }: LayerChange,
  { clock, frames }: { clock: PageClock; frames: FrameCounter },
  onEnd: (result: TransitionResult) => void,
): () => void {
  const { type, direction, easing, duration_ms: durationMs } = transition;
  if (type === "cut") throw new RangeError("a cut cannot be run as a transition");
  const motion = motionOf(type, direction);
  const timing: KeyframeAnimationOptions = { duration: durationMs, easing, fill: "both" };
  const animations = [incoming.animate(motion.incoming, timing), outgoing.animate(motion.outgoing, timing)];
  const over = new AbortController();
  followClock(animations, beginsAt, clock, over.signal);
  if (motion.adds) incoming.style.mixBlendMode = "plus-lighter";
  // Without a clip path, each moving element in a layout has a soft edge of its own, and together they make a dark line.
  else incoming.style.clipPath = "inset(0)";
  let frameCount = 0;
  let firstAt = Number.NaN;
  let wasSet = false;
  let cancel = clock.rate === 0 ? (): void => {} : frames.request(checkEnd);
  clock.onSet(() => {
    wasSet = true;
    cancel();
    cancel = frames.request(checkEnd);
  }, over.signal);

  function checkEnd(frameTime: number): void {
    if (frameCount === 0) firstAt = frameTime;
    frameCount += 1;
    const isOver = clock.toWallTime(frameTime) >= beginsAt + durationMs;
    // How smooth it was is known only if it ran through.
    if (isOver) end(wasSet ? noResult : { frames: frameCount - 1, durationMs: frameTime - firstAt });
    else if (clock.rate > 0) cancel = frames.request(checkEnd);
  }

  function end(result: TransitionResult): void {
    cancel();
    over.abort();
    for (const animation of animations) animation.cancel();
    incoming.style.mixBlendMode = incoming.style.clipPath = "";
    onEnd(result);
  }

  return () => end(noResult);
}

/**
 * From one opacity to the other in steps of 1/255. Each picture is rounded to whole levels before both are added up; only
 * with these steps two equal pictures always add up to exactly the same picture.
 */
function fade(from: 0 | 1, to: 0 | 1): KeyframeAt[] {
  return [
    { opacity: from, offset: 0, easing: "steps(255)" },
    { opacity: to, offset: 1 },
  ];
}

function scale(from: number, to: number): KeyframeAt[] {
  return [
    { transform: `scale(${from})`, offset: 0 },
    { transform: `scale(${to})`, offset: 1 },
  ];
}

/** Keyframes of several properties have to be in the order of their offsets. */
function byOffset(one: KeyframeAt, other: KeyframeAt): number {
  return one.offset - other.offset;
}

// Both pictures overlap by a pixel: the background would shine through two soft edges that only touch.

/** Just outside its element: on the side from which it comes (1) or to which it leaves (-1). */
function beside(direction: Direction, side: 1 | -1): Keyframe {
  const { axis, sign } = origins[direction];
  return { transform: `translate${axis}(calc(${sign * side} * (100% - 1px)))` };
}

/** Revealed from the side from which it comes. */
function uncover(direction: Direction): Keyframe[] {
  const hidden = { left: "0 0 0 100%", right: "0 100% 0 0", up: "100% 0 0 0", down: "0 0 100% 0" }[direction];
  return [{ clipPath: `inset(${hidden})` }, { clipPath: "inset(0 0 0 0)" }];
}

/** Hidden from that side, so that it is not seen beside a new picture that does not fill its zone. */
function cover(direction: Direction): Keyframe[] {
  const from = { left: "0 -1px 0 0", right: "0 0 0 -1px", up: "0 0 -1px 0", down: "-1px 0 0 0" }[direction];
  const fullInset = "calc(100% - 1px)";
  const to = { left: `0 ${fullInset} 0 0`, right: `0 0 0 ${fullInset}`, up: `0 0 ${fullInset} 0`, down: `${fullInset} 0 0 0` }[direction];
  return [{ clipPath: `inset(${from})` }, { clipPath: `inset(${to})` }];
}
