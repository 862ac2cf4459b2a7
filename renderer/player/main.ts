// Starts the page: connects to the player, draws the scenes it sends and sends reports back.
import { FrameCounter } from "./frame-counter.ts";
import { blockInput } from "./input.ts";
import { measure } from "./measure.ts";
import { CorrectedTime } from "./link/clock.ts";
import { DriftLog } from "./link/drift-log.ts";
import { IframeReports } from "./link/iframe-reports.ts";
import { PresentationTiming } from "./link/presentation-timing.ts";
import { ReportQueue } from "./link/report-queue.ts";
import { SceneSocket } from "./link/socket.ts";
import { Display } from "./stage/display.ts";
import { FailureMemory } from "./stage/failure-memory.ts";
import { PreloadBudget } from "./stage/preload-budget.ts";
import { TransitionChoice } from "./stage/transition-choice.ts";
import { faultOf, reportUncaughtErrors } from "./uncaught-errors.ts";
import { type FromPage, pageHeartbeatMs } from "../../src/protocol/page-messages.ts";
import type { Scene } from "../../src/protocol/scene.ts";

// A few quick exchanges give a good estimate of the player's clock at the start; later ones only follow its drift.
const quickExchanges = 5;
const quickExchangeMs = 60;
const exchangeMs = 10_000;
// Without a response in this time the page uses the machine's own clock.
const clockTimeoutMs = 1_000;

const frames = new FrameCounter();
const iframeReports = new IframeReports();
const clock = new CorrectedTime(frames, () => display.redraw());
const driftLog = new DriftLog();
const clockKnown = Promise.race([clock.firstSync, delay(clockTimeoutMs)]);
const reportQueue = new ReportQueue(send);
const display = new Display(document.querySelector<HTMLElement>("#display")!, {
  clock,
  frames,
  presentation: new PresentationTiming(frames),
  iframeReports,
  driftLog,
  transitions: new TransitionChoice(send),
  failures: new FailureMemory(clock),
  budget: PreloadBudget.forThisMachine(),
  report: (message) => reportQueue.report(message),
  reportPresented: (message, at) => reportQueue.reportPresented(message, at),
});
const socket = new SceneSocket(socketUrl(), {
  onOpen: sendHello,
  onMessage: (message) => {
    if (message.type === "clock") clock.addSample(message.t0, message.now, performance.now());
    else if (message.type === "measure") measure(message.id, frames).then(send, reportError);
    else if (message.type === "frame") iframeReports.handle(message);
    else draw(message.scene);
  },
  onInvalidMessage: (detail) => {
    reportError(`Invalid message from the player: ${detail}`);
  },
});

blockInput(document);
reportUncaughtErrors(send);
setInterval(sendHeartbeat, pageHeartbeatMs);
setInterval(requestTime, exchangeMs);

function send(message: FromPage): void {
  socket.send(message);
}

function sendHello(): void {
  const viewport = { width: innerWidth, height: innerHeight, device_pixel_ratio: devicePixelRatio };
  send({ type: "hello", viewport, opened_at: performance.timeOrigin });
  for (let exchange = 0; exchange < quickExchanges; exchange++) setTimeout(requestTime, exchange * quickExchangeMs);
}

function requestTime(): void {
  send({ type: "clock", t0: performance.now() });
}

/** Draws a scene once the page knows the player's clock. Scenes are drawn in the order they arrive. */
function draw(scene: Scene): void {
  clockKnown.then(() => {
    display.draw(scene);
  }, reportError);
}

/** Reports that the page still renders. Requests at least one frame each time, so 0 frames mean that rendering has stopped. */
function sendHeartbeat(): void {
  const { presented, dropped } = frames.videos.take();
  send({ type: "beat", at: clock.now(), ...frames.take(), video_frames: presented, dropped, drift: driftLog.take() });
  frames.request(() => {});
}

function reportError(reason: unknown): void {
  send(faultOf(reason));
}

function socketUrl(): string {
  const url = new URL("/scene", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
