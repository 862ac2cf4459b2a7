// Moves one picture in over another: by time, not by frames, in properties that the compositor can animate alone.
import type { Transition } from "../../../src/protocol/content/transition.ts";
import type { FrameCounter } from "../frame-counter.ts";

type Direction = Transition["direction"];

/**
 * What each side does, and whether the two are added up: half-clear pictures over each other would let the ground
 * through. What is added up has to lie in an isolated group without a ground of its own, or the ground is added too.
 */
interface Motion {
  incoming: Keyframe[];
  outgoing: Keyframe[];
  adds: boolean;
}

type KeyframeAt = Keyframe & { offset: number };

/** What is moved, how, and when; times in ms on the performance clock. */
export interface LayerChange {
  incoming: HTMLElement;
  outgoing: HTMLElement;
  transition: Transition;
  beginsAt: number;
}

/** How a transition went. */
export interface TransitionResult {
  frames: number;
  durationMs: number;
}

// Both sides are at least whole throughout, so that no edge of a picture runs through the other.
const zoomBy = 1.12;
// The edge that the new picture comes from, and which way along its axis that is.
const origins: Record<Direction, { axis: "X" | "Y"; sign: 1 | -1 }> = {
  left: { axis: "X", sign: 1 },
  right: { axis: "X", sign: -1 },
  up: { axis: "Y", sign: 1 },
  down: { axis: "Y", sign: -1 },
};

/** The paths of both sides. Whatever the shapes of the pictures, the last instant looks like the new one alone. */
function motionOf(type: Exclude<Transition["type"], "cut">, direction: Direction): Motion {
  const still = { transform: "none" };
  switch (type) {
    case "crossfade":
      return { incoming: faded(0, 1), outgoing: faded(1, 0), adds: true };
    case "zoom":
      return {
        incoming: [...scaled(zoomBy, 1), ...faded(0, 1)].toSorted(byOffset),
        outgoing: [...scaled(1, zoomBy), ...faded(1, 0)].toSorted(byOffset),
        adds: true,
      };
    case "push":
      return { incoming: [beside(direction, 1), still], outgoing: [still, beside(direction, -1)], adds: false };
    case "slide":
      return { incoming: [beside(direction, 1), still], outgoing: covered(direction), adds: false };
    case "wipe":
      return { incoming: uncovered(direction), outgoing: covered(direction), adds: false };
  }
}

/**
 * Runs a transition and calls `done` once: in the frame in which it is over, or at the call of what is returned, which
 * ends it at once. The elements are left as they would be without it.
 */
export function runTransition(
  { incoming, outgoing, transition, beginsAt }: LayerChange,
  frames: FrameCounter,
  done: (ran: TransitionResult) => void,
): () => void {
  const { type, direction, easing, duration_ms: durationMs } = transition;
  if (type === "cut") throw new RangeError("a cut is no transition to run");
  const motion = motionOf(type, direction);
  const timing: KeyframeAnimationOptions = { duration: durationMs, easing, fill: "both" };
  const animations = [incoming.animate(motion.incoming, timing), outgoing.animate(motion.outgoing, timing)];
  // The animation stands where the clock says, also when frames are lost or the page was late.
  for (const animation of animations) animation.startTime = beginsAt;
  if (motion.adds) incoming.style.mixBlendMode = "plus-lighter";
  // Without a clip each of a layout's colours has a soft edge of its own where it moves: together they make a dark line.
  else incoming.style.clipPath = "inset(0)";
  let seen = 0;
  let firstAt = Number.NaN;
  let cancel = frames.request(look);

  function look(frameTime: number): void {
    if (seen === 0) firstAt = frameTime;
    seen += 1;
    if (frameTime < beginsAt + durationMs) cancel = frames.request(look);
    else end({ frames: seen - 1, durationMs: frameTime - firstAt });
  }

  function end(ran: TransitionResult): void {
    cancel();
    for (const animation of animations) animation.cancel();
    incoming.style.mixBlendMode = incoming.style.clipPath = "";
    done(ran);
  }

  return () => end({ frames: 0, durationMs: 0 });
}

/**
 * From one opacity to the other in steps of 1/255. Each side is rounded to whole levels before they are added up: by
 * such shares, and by no others, two equal pictures always add up to themselves, never to a level more.
 */
function faded(from: 0 | 1, to: 0 | 1): KeyframeAt[] {
  return [
    { opacity: from, offset: 0, easing: "steps(255)" },
    { opacity: to, offset: 1 },
  ];
}

function scaled(from: number, to: number): KeyframeAt[] {
  return [
    { transform: `scale(${from})`, offset: 0 },
    { transform: `scale(${to})`, offset: 1 },
  ];
}

/** Keyframes of several properties, each with an easing of its own, have to come in the order of their offsets. */
function byOffset(one: KeyframeAt, other: KeyframeAt): number {
  return one.offset - other.offset;
}

// Both sides overlap by a pixel: the ground would shine through two soft edges that only touch.

/** Just outside, on the side it comes from (1) or leaves by (-1). */
function beside(direction: Direction, side: 1 | -1): Keyframe {
  const { axis, sign } = origins[direction];
  return { transform: `translate${axis}(calc(${sign * side} * (100% - 1px)))` };
}

/** Shown from the side it comes from. */
function uncovered(direction: Direction): Keyframe[] {
  const hidden = { left: "0 0 0 100%", right: "0 100% 0 0", up: "100% 0 0 0", down: "0 0 100% 0" }[direction];
  return [{ clipPath: `inset(${hidden})` }, { clipPath: "inset(0 0 0 0)" }];
}

/** Hidden from that side, so that nothing of it stands beside a picture that does not fill its zone. */
function covered(direction: Direction): Keyframe[] {
  const from = { left: "0 -1px 0 0", right: "0 0 0 -1px", up: "0 0 -1px 0", down: "-1px 0 0 0" }[direction];
  const gone = "calc(100% - 1px)";
  const to = { left: `0 ${gone} 0 0`, right: `0 0 0 ${gone}`, up: `0 0 ${gone} 0`, down: `${gone} 0 0 0` }[direction];
  return [{ clipPath: `inset(${from})` }, { clipPath: `inset(${to})` }];
}
