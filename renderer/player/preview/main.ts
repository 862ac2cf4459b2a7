// Starts the page in a console's preview: draws the scenes that the console sends, by the clock that the console sets.
import { z } from "zod";
import { FrameCounter } from "../frame-counter.ts";
import { DriftLog } from "../link/drift-log.ts";
import { IframeReports } from "../link/iframe-reports.ts";
import { PresentationTiming } from "../link/presentation-timing.ts";
import { ReportQueue } from "../link/report-queue.ts";
import { Display } from "../stage/display.ts";
import { FailureMemory } from "../stage/failure-memory.ts";
import { PreloadBudget } from "../stage/preload-budget.ts";
import { TransitionChoice } from "../stage/transition-choice.ts";
import { faultOf, reportUncaughtErrors } from "../uncaught-errors.ts";
import { Seeker } from "./seeker.ts";
import { SetTime } from "./set-time.ts";
import type { FromPage } from "../../../src/protocol/page-messages.ts";
import { previewGreeting, ToPreview, type FromPreview } from "../../../src/protocol/preview-messages.ts";

// zod compiles its parsers with `new Function`, which the page's content security policy forbids.
z.config({ jitless: true });

const { promise: connection, resolve: connect } = Promise.withResolvers<MessagePort>();
const frames = new FrameCounter();
const clock = new SetTime(frames);
const reportQueue = new ReportQueue(report);
const display = new Display(document.querySelector<HTMLElement>("#display")!, {
  clock,
  frames,
  presentation: new PresentationTiming(frames),
  iframeReports: new IframeReports(),
  driftLog: new DriftLog(),
  transitions: new TransitionChoice(report),
  failures: new FailureMemory(clock),
  budget: PreloadBudget.forThisMachine(),
  report: (message) => reportQueue.report(message),
  reportPresented: (message, at) => reportQueue.reportPresented(message, at),
});
const seeker = new Seeker(display, clock, frames);

reportUncaughtErrors(report);
addEventListener("message", ({ source, data, ports: [port] }: MessageEvent<unknown>) => {
  if (source !== parent || data !== previewGreeting || port === undefined) return;
  port.addEventListener("message", receive);
  port.start();
  connect(port);
});
parent.postMessage(previewGreeting, "*");

function receive({ data }: MessageEvent<unknown>): void {
  const result = ToPreview.safeParse(data);
  if (!result.success) return report(faultOf(`Invalid message from the console: ${z.prettifyError(result.error)}`));
  const message = result.data;
  switch (message.type) {
    case "seek":
      seeker.seek(message).then(
        (isDone) => {
          if (isDone) send({ type: "drawn", number: message.number });
        },
        (error: unknown) => report(faultOf(error)),
      );
      return;
    case "scene":
      return seeker.draw(message.scene);
    case "time":
      return clock.set(message.at, message.rate);
  }
}

function report(message: FromPage): void {
  send({ type: "report", message });
}

/** Messages from before the console has sent its port wait for it. */
function send(message: FromPreview): void {
  void connection.then((port) => port.postMessage(message));
}
