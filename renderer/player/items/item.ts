// The interface between a zone and its items of every kind, and helpers that all kinds share.
import { setVisibility } from "../dom.ts";
import type { FrameCounter } from "../frame-counter.ts";
import type { PageClock } from "../link/clock.ts";
import type { IframeReports } from "../link/iframe-reports.ts";
import type { PresentationTiming } from "../link/presentation-timing.ts";
import type { FromPage } from "../../../src/protocol/page-messages.ts";

/** Why an item cannot be shown. */
export type FailureCode = Extract<FromPage, { type: "failed" }>["code"];

/** A defect of an item that is shown nevertheless. */
export type Flaw = Pick<Extract<FromPage, { type: "flawed" }>, "code" | "detail">;

/** Thrown or reported when an item cannot be shown or has stopped. */
export class ItemFailure extends Error {
  readonly code: FailureCode;
  /** Identifies the crash of the renderer process that ran this item; items that shared the process have the same id. */
  readonly crashId: string | undefined;

  constructor(code: FailureCode, detail: string, crashId?: string) {
    super(detail);
    this.name = "ItemFailure";
    this.code = code;
    this.crashId = crashId;
  }
}

/** The data of an item's play, and the services it may use. */
export interface ItemContext {
  clock: PageClock;
  frames: FrameCounter;
  presentation: PresentationTiming;
  /** The player's reports on iframes of other sites. */
  iframeReports: IframeReports;
  /** The size of the zone in stage pixels. */
  width: number;
  height: number;
  /** When the play begins, corrected wall time; in the past when the item joins late. */
  startsAt: number;
  /** How far into the item the play is at `startsAt`. */
  offsetMs: number;
  /** Called with how far the play is ahead of its position by the clock, in ms; negative when it is behind. */
  onDrift: (driftMs: number) => void;
  /** Called when the item fails after it was prepared: while it waits for its start, or on screen. */
  onFailure(failure: ItemFailure): void;
  /** Called when the item is shown with a defect. */
  onFlaw(flaw: Flaw): void;
}

/** One play of an item. The zone owns it and calls, in this order and once each: prepare, show, hide, dispose. */
export interface Item {
  readonly element: HTMLElement;
  /** True if it failed and shows nothing any more. Items without this property keep their last picture when they fail. */
  readonly hasLostPicture?: boolean;
  /** Resolves when the hidden element has presented its first frame. Rejects with an ItemFailure. */
  prepare(signal: AbortSignal): Promise<void>;
  /** Shows it in the current frame. Resolves with the corrected wall time at which that frame was presented. */
  show(): Promise<number>;
  /** Sets when the play ends; Infinity when nothing is known to follow. */
  playUntil(endsAt: number): void;
  /** Hides it in the current frame. */
  hide(): void;
  /** Releases all resources and removes the element. */
  dispose(): void;
}

/** How long a file may take until its first frame. It is already verified on the local disk. */
export const prepareTimeoutMs = 8_000;

/** Paints an element without showing it. Takes two frames: the second proves that the first was painted. */
export async function paintHidden(element: HTMLElement, frames: FrameCounter, signal: AbortSignal): Promise<void> {
  setVisibility(element, "painted");
  await frames.next(signal);
  await frames.next(signal);
}

/** Shows an element in the current frame. Resolves with the corrected wall time at which it was presented. */
export async function reveal(element: HTMLElement, { presentation, clock }: ItemContext): Promise<number> {
  setVisibility(element, "visible");
  return clock.toWallTime(await presentation.timeOfCurrentFrame());
}

/**
 * An item that is a single element and keeps no position in time. `load` fills it with its content; `release` frees that.
 */
export function simpleItem(
  element: HTMLElement,
  context: ItemContext,
  load: (signal: AbortSignal) => void | Promise<void>,
  release: () => void = () => {},
): Item {
  return {
    element,
    async prepare(signal) {
      await load(signal);
      await paintHidden(element, context.frames, signal);
      setVisibility(element, "hidden");
    },
    show: () => reveal(element, context),
    playUntil() {},
    hide: () => {
      setVisibility(element, "hidden");
    },
    dispose: () => {
      release();
      element.remove();
    },
  };
}

/** Finds out whether a file cannot be loaded or cannot be drawn; media elements do not say which. */
export async function diagnoseFailure(src: string, drawingCode: FailureCode, detail: string): Promise<ItemFailure> {
  try {
    const response = await fetch(src, {
      headers: { range: "bytes=0-0" },
      signal: AbortSignal.timeout(2_000),
    });
    await response.body?.cancel();
    if (response.ok) return new ItemFailure(drawingCode, detail);
    return new ItemFailure("load", `HTTP ${response.status} (${detail})`);
  } catch (error) {
    return new ItemFailure("load", `${String(error)} (${detail})`);
  }
}

/** Settles like `work`, but rejects after `ms` or as soon as `signal` aborts. @param createError the error for the timeout. */
export function withTimeout<T>(work: Promise<T>, ms: number, signal: AbortSignal, createError: () => ItemFailure): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      end();
      reject(createError());
    }, ms);
    function onAbort(): void {
      end();
      reject(new DOMException("Aborted", "AbortError"));
    }
    function end(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    }
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
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
