// The services that the modules of the page share, and the interface of a full-screen layer.
import type { FrameCounter } from "./frame-counter.ts";
import type { PageClock } from "./link/clock.ts";
import type { DriftLog } from "./link/drift-log.ts";
import type { IframeReports } from "./link/iframe-reports.ts";
import type { PresentationTiming } from "./link/presentation-timing.ts";
import type { PresentedReport } from "./link/report-queue.ts";
import type { FailureMemory } from "./stage/failure-memory.ts";
import type { PreloadBudget } from "./stage/preload-budget.ts";
import type { TransitionChoice } from "./stage/transition-choice.ts";
import type { Transition } from "../../src/protocol/content/transition.ts";
import type { FromPage } from "../../src/protocol/page-messages.ts";
import type { Screen } from "../../src/protocol/scene.ts";

/** The services that the modules of the page share. */
export interface PageContext {
  clock: PageClock;
  frames: FrameCounter;
  presentation: PresentationTiming;
  iframeReports: IframeReports;
  driftLog: DriftLog;
  transitions: TransitionChoice;
  failures: FailureMemory;
  budget: PreloadBudget;
  /** Sends a message to the player, after all earlier ones. */
  report(message: FromPage): void;
  /**
   * Sends a report of something presented, as soon as the instant `at` is known (corrected wall time, ms). Null: it was never
   * visible, and is not reported.
   */
  reportPresented(message: PresentedReport, at: Promise<number | null>): void;
}

/** A layer that covers the whole display. It is built hidden. */
export interface Layer {
  readonly element: HTMLElement;
  /** Resolves when the layer's content is ready to be painted. Each read may return a new promise. */
  readonly ready: Promise<void>;
  /** How it replaces the previous layer; without one it is a cut. */
  readonly transition?: Transition | undefined;
  /** Shows a newer screen in this layer; false when that needs another layer. `dueAt`: the instant it is prepared for. */
  update(screen: Screen, dueAt?: number): boolean;
  /**
   * For a layer that is prepared for a later instant: shows everything that is due, in the current frame. Returns false
   * when something is not ready to be painted; `ready` then resolves when it is.
   */
  showIfReady?(frameTime: number): boolean;
  /** True if it shows all that is due at the clock's instant, as far as that can be shown. Without it: always. */
  readonly isUpToDate?: boolean;
  /** Called in the first frame that shows this layer; `at` resolves with when that frame is presented (corrected wall time, ms). */
  onPresented(at: Promise<number>): void;
  /** Called in the frame in which the next layer replaces this one, at once or by a transition. */
  onReplaced?(): void;
  /** Releases all resources and removes the element. */
  dispose(): void;
}
