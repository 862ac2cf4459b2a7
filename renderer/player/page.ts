// What the parts of the page share, and what each picture of the whole glass has to offer.
import type { Screen } from "../../src/protocol/scene.ts";
import type { FromPage } from "../../src/protocol/page-messages.ts";
import type { Transition } from "../../src/protocol/content/transition.ts";
import type { PageClock } from "./link/clock.ts";
import type { DriftLog } from "./link/drift-log.ts";
import type { IframeReports } from "./link/iframe-reports.ts";
import type { FailureMemory } from "./stage/failure-memory.ts";
import type { FrameCounter } from "./frame-counter.ts";
import type { PreloadBudget } from "./stage/preload-budget.ts";
import type { PresentationTiming } from "./link/presentation-timing.ts";
import type { PresentedReport } from "./link/report-queue.ts";
import type { TransitionChoice } from "./stage/transition-choice.ts";

/** What the parts of the page share. */
export interface PageContext {
  clock: PageClock;
  frames: FrameCounter;
  presentation: PresentationTiming;
  iframeReports: IframeReports;
  driftLog: DriftLog;
  transitions: TransitionChoice;
  failures: FailureMemory;
  budget: PreloadBudget;
  /** Sends a message to the player, after those before it. */
  report(message: FromPage): void;
  /** Sends what was presented when its instant is known, corrected wall time in ms. */
  reportPresented(message: PresentedReport, at: Promise<number>): void;
}

/** A picture of the whole glass, built unseen. */
export interface Layer {
  readonly element: HTMLElement;
  /** Resolves when the layer's content is there to be painted. Asked for anew, it may be another. */
  readonly ready: Promise<void>;
  /** How it takes the place of the layer before; none for a cut. */
  readonly transition?: Transition | undefined;
  /** Takes a newer screen in; false when it takes another layer to show it. `dueAt`: it is prepared for that instant. */
  update(screen: Screen, dueAt?: number): boolean;
  /**
   * Of one that is prepared for a later instant: brings on, in the frame being made, all that is due then. False when
   * something is not there to be painted: then `ready` tells when it is.
   */
  showIfReady?(frameTime: number): boolean;
  /** The frame being made is the first with this layer; `at` is when it is on the glass, corrected wall time. */
  onPresented(at: Promise<number>): void;
  /** Lets go of everything. */
  dispose(): void;
}
