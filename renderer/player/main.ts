// The page's start: socket in, glass out, and the reports that go back.
import type { Scene } from "../../src/protocol/scene.ts";
import { type FromPage, pageHeartbeatMs } from "../../src/protocol/page-messages.ts";
import { CorrectedTime } from "./link/clock.ts";
import { DriftLog } from "./link/drift-log.ts";
import { IframeReports } from "./link/iframe-reports.ts";
import { FailureMemory } from "./stage/failure-memory.ts";
import { FrameCounter } from "./frame-counter.ts";
import { Display } from "./stage/display.ts";
import { blockInput } from "./input.ts";
import { PreloadBudget } from "./stage/preload-budget.ts";
import { PresentationTiming } from "./link/presentation-timing.ts";
import { ReportQueue } from "./link/report-queue.ts";
import { SceneSocket } from "./link/socket.ts";
import { TransitionChoice } from "./stage/transition-choice.ts";

// A few quick exchanges fill the clock's filter before the first switch is due; then it only has to follow drift.
const quickExchanges = 5;
const quickExchangeMs = 60;
const exchangeMs = 10_000;
// Without an answer the machine's own time must do.
const clockPatienceMs = 1_000;
const longestDetail = 2_000;

const frames = new FrameCounter();
const sites = new IframeReports();
const clock = new CorrectedTime(frames, () => glass.redraw());
const drift = new DriftLog();
const clockKnown = Promise.race([clock.synchronized, delay(clockPatienceMs)]);
const order = new ReportQueue(send);
const glass = new Display(document.querySelector<HTMLElement>("#glass")!, {
  clock,
  frames,
  presentation: new PresentationTiming(frames),
  iframeReports: sites,
  driftLog: drift,
  transitions: new TransitionChoice(send),
  failures: new FailureMemory(clock),
  budget: PreloadBudget.forThisMachine(),
  report: (message) => order.report(message),
  reportPresented: (message, at) => order.reportPresented(message, at),
});
const socket = new SceneSocket(socketUrl(), {
  onOpen: greet,
  onMessage: (message) => {
    if (message.type === "clock") clock.addSample(message.t0, message.now, performance.now());
    else if (message.type === "frame") sites.handle(message);
    else draw(message.scene);
  },
  onInvalidMessage: (detail) => {
    sendFault(`A message from the player was not understood: ${detail}`);
  },
});

blockInput(document);
reportFaults();
setInterval(beat, pageHeartbeatMs);
setInterval(askTime, exchangeMs);

function send(message: FromPage): void {
  socket.send(message);
}

function greet(): void {
  const viewport = { width: innerWidth, height: innerHeight, device_pixel_ratio: devicePixelRatio };
  send({ type: "hello", viewport, opened_at: performance.timeOrigin });
  for (let exchange = 0; exchange < quickExchanges; exchange++) setTimeout(askTime, exchange * quickExchangeMs);
}

function askTime(): void {
  send({ type: "clock", t0: performance.now() });
}

/** Draws a scene as soon as its times mean something. Messages keep their order, so the newest is drawn last. */
function draw(scene: Scene): void {
  clockKnown.then(() => {
    glass.draw(scene);
  }, sendFault);
}

/** Tells that frames still come: at least one is asked for each time, so a beat of 0 means the glass stands still. */
function beat(): void {
  send({ type: "beat", at: clock.now(), frames: frames.take(), drift: drift.take() });
  frames.request(() => {});
}

function reportFaults(): void {
  addEventListener("error", ({ message, error }: ErrorEvent) => {
    sendFault(error ?? message);
  });
  addEventListener("unhandledrejection", ({ reason }) => {
    // What was called off is no fault: pdf.js leaves a rejection behind when a file is let go of while it loads.
    if (!(reason instanceof DOMException && reason.name === "AbortError")) sendFault(reason);
  });
}

function sendFault(reason: unknown): void {
  const detail = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
  send({ type: "fault", detail: detail.slice(0, longestDetail) });
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
