// What a zone asks of an item, whatever its kind.
import type { FromPage } from "../../../src/protocol/page-messages.ts";
import type { PageClock } from "../link/clock.ts";
import { setVisibility } from "../dom.ts";
import type { IframeReports } from "../link/iframe-reports.ts";
import type { FrameCounter } from "../frame-counter.ts";
import type { PresentationTiming } from "../link/presentation-timing.ts";

/** Why an item cannot be shown. */
export type FailureCode = Extract<FromPage, { type: "failed" }>["code"];

/** What is wrong with an item that is shown all the same. */
export type Flaw = Pick<Extract<FromPage, { type: "flawed" }>, "code" | "detail">;

/** An item that cannot be shown or that stopped. */
export class ItemFailure extends Error {
  readonly code: FailureCode;
  /** Names the end of the renderer process it died with; several items may have shared that. */
  readonly crashId: string | undefined;

  constructor(code: FailureCode, detail: string, death?: string) {
    super(detail);
    this.name = "ItemFailure";
    this.code = code;
    this.crashId = death;
  }
}

/** What an item finds around it. */
export interface ItemContext {
  clock: PageClock;
  frames: FrameCounter;
  presentation: PresentationTiming;
  /** What the player says of frames of other sites. */
  iframeReports: IframeReports;
  /** The zone, in stage pixels. */
  width: number;
  height: number;
  /** When the play begins, corrected wall time; in the past for one who joins late. */
  startsAt: number;
  /** How far into the item the play is at `startsAt`. */
  offsetMs: number;
  /** Hears how far the play is from where the clock says, in ms: above 0 it is ahead. */
  onDrift: (driftMs: number) => void;
  /** Hears of an item that fails after it was prepared: while it waits for its start, or on the glass. */
  onFailure(failure: ItemFailure): void;
  /** Hears of an item that is shown, but not as it was meant. */
  onFlaw(flaw: Flaw): void;
}

/** One element on its way to the glass and off it. The zone owns it: prepare once, show once, hide, dispose. */
export interface Item {
  readonly element: HTMLElement;
  /** Whether it failed and took its picture along; an item that leaves this out keeps its last one. */
  readonly hasLostPicture?: boolean;
  /** Resolves when the element, in its place but unseen, has presented its first frame. Rejects with an ItemFailure. */
  prepare(signal: AbortSignal): Promise<void>;
  /** Puts it on the glass in the frame being made. Resolves with that frame's corrected wall time, once presented. */
  show(): Promise<number>;
  /** Says when the play is to end; Infinity when nothing is known to follow. */
  playUntil(endsAt: number): void;
  /** Takes it off the glass in the frame being made. */
  hide(): void;
  /** Lets go of everything. */
  dispose(): void;
}

/** How long a file may take to its first frame. It is on the local disk and verified. */
export const prepareTimeoutMs = 8_000;

/** Has an unseen element painted: two frames, the second of which proves the first. */
export async function paintHidden(element: HTMLElement, frames: FrameCounter, signal: AbortSignal): Promise<void> {
  setVisibility(element, "priming");
  await frames.next(signal);
  await frames.next(signal);
}

/** Shows an element in the frame being made. Resolves with when it was on the glass. */
export async function reveal(element: HTMLElement, { presentation, clock }: ItemContext): Promise<number> {
  setVisibility(element, "yes");
  return clock.toWallTime(await presentation.timeOfCurrentFrame());
}

/**
 * An item that is a single element without a position of its own. `ready` brings its content in; `letGo` releases it.
 */
export function simpleItem(
  element: HTMLElement,
  around: ItemContext,
  ready: (signal: AbortSignal) => void | Promise<void>,
  letGo: () => void = () => {},
): Item {
  return {
    element,
    async prepare(signal) {
      await ready(signal);
      await paintHidden(element, around.frames, signal);
      setVisibility(element, "no");
    },
    show: () => reveal(element, around),
    playUntil() {},
    hide: () => {
      setVisibility(element, "no");
    },
    dispose: () => {
      letGo();
      element.remove();
    },
  };
}

/** Tells a file that cannot be had from one that cannot be drawn: the elements themselves do not say. */
export async function diagnoseFailure(src: string, drawing: FailureCode, detail: string): Promise<ItemFailure> {
  try {
    const response = await fetch(src, {
      headers: { range: "bytes=0-0" },
      signal: AbortSignal.timeout(2_000),
    });
    await response.body?.cancel();
    if (response.ok) return new ItemFailure(drawing, detail);
    return new ItemFailure("load", `HTTP ${response.status} (${detail})`);
  } catch (error) {
    return new ItemFailure("load", `${String(error)} (${detail})`);
  }
}

/** Settles like `work`, but fails with `timeout` after the limit; abort rejects at once. */
export function withTimeout<T>(work: Promise<T>, ms: number, signal: AbortSignal, late: () => ItemFailure): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      end();
      reject(late());
    }, ms);
    function aborted(): void {
      end();
      reject(new DOMException("Aborted", "AbortError"));
    }
    function end(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", aborted);
    }
    if (signal.aborted) return aborted();
    signal.addEventListener("abort", aborted, { once: true });
    work.then(
      (value) => {
        end();
        resolve(value);
      },
      (error: unknown) => {
        end();
        reject(error);
      },
    );
  });
}
