// One viewer of a live view: gets the newest frame whenever it is ready for one, as a part of a multipart response.
import { randomBytes } from "node:crypto";
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import { isAbort } from "../../base/fault.ts";
import { LiveEndReason, type LiveQuery } from "../../protocol/device/live.ts";
import { deviceText } from "../../protocol/text.ts";
import type { CommandRow } from "../store/tables/fleet.ts";

/** Why a viewer gets no more frames, for programs and for people. */
export interface LiveEnd {
  code: string;
  detail: string;
}

const longestMs = 600_000;
// Longer than the longest pause between the frames of a busy device.
const silenceMs = 30_000;
// A frame that comes a little early is not left out.
const tolerance = 0.9;

const tooLong: LiveEnd = { code: "duration", detail: "A live view ends after ten minutes: open it again to go on watching" };
const silent: LiveEnd = { code: "silent", detail: `The screen has sent no picture for ${silenceMs / 1_000} s: look at its status` };

export class LiveViewer {
  /** The frame rate, width and quality that it asked for. */
  readonly wishes: LiveQuery;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #boundary = randomBytes(12).toString("hex");
  readonly #woken = new Signal();
  readonly #until: number;
  #newest: Buffer | null = null;
  #offeredAt = Number.NEGATIVE_INFINITY;
  #end: LiveEnd | null = null;

  /** @param signal aborts when the viewer leaves. */
  constructor(wishes: LiveQuery, clock: Clock, signal: AbortSignal) {
    this.wishes = wishes;
    this.#clock = clock;
    this.#signal = signal;
    this.#until = clock.monotonic() + longestMs;
  }

  /** The media type of its response. */
  get type(): string {
    return `multipart/x-mixed-replace; boundary=${this.#boundary}`;
  }

  /** Gives it a frame, in place of one that it has not taken yet. */
  offer(frame: Buffer): void {
    const now = this.#clock.monotonic();
    if (now - this.#offeredAt < (tolerance * 1_000) / this.wishes.fps) return;
    this.#offeredAt = now;
    this.#newest = frame;
    this.#woken.notify();
  }

  /** Ends it after the frame that it has. */
  end(end: LiveEnd): void {
    this.#end ??= end;
    this.#woken.notify();
  }

  /** Resolves once there is a first frame. @returns why there is none; null: there is one. @throws AbortError when the viewer leaves. */
  async begin(limitMs: number, timeout: LiveEnd): Promise<LiveEnd | null> {
    const until = this.#clock.monotonic() + limitMs;
    while (this.#newest === null) {
      if (this.#end !== null) return this.#end;
      const leftMs = until - this.#clock.monotonic();
      if (leftMs <= 0) return timeout;
      await this.#woken.wait(this.#clock, leftMs, this.#signal);
    }
    return null;
  }

  /** The parts of the response, until the end, which is a part of its own: the reason as JSON. @param left called at the end. */
  async *parts(left: () => void): AsyncGenerator<Buffer> {
    // A browser shows a picture when the boundary behind it arrives, so that boundary is sent with the picture.
    const boundary = `--${this.#boundary}`;
    let begin = `${boundary}\r\n`;
    try {
      for (;;) {
        const next = await this.#next();
        if (Buffer.isBuffer(next)) {
          const head = `${begin}Content-Type: image/jpeg\r\nContent-Length: ${next.length}\r\n\r\n`;
          yield Buffer.concat([Buffer.from(head), next, Buffer.from(`\r\n${boundary}\r\n`)]);
          begin = "";
          continue;
        }
        const end = JSON.stringify(next);
        yield Buffer.from(`${begin}Content-Type: application/json\r\n\r\n${end}\r\n${boundary}--\r\n`);
        return;
      }
    } catch (error) {
      if (!isAbort(error)) throw error;
    } finally {
      left();
    }
  }

  async #next(): Promise<Buffer | LiveEnd> {
    const from = this.#clock.monotonic();
    for (;;) {
      const frame = this.#newest;
      this.#newest = null;
      const now = this.#clock.monotonic();
      if (frame !== null && now < this.#until) return frame;
      if (this.#end !== null) return this.#end;
      if (now >= this.#until) return tooLong;
      if (now - from >= silenceMs) return silent;
      await this.#woken.wait(this.#clock, Math.min(this.#until - now, from + silenceMs - now), this.#signal);
    }
  }
}

const details: Readonly<Record<LiveEndReason, string>> = {
  unwatched: "Nobody watched any more: open the live view again",
  duration: "The live view has reached its longest duration: open it again",
  replaced: "Another live view of this screen has begun: open this one again",
  disconnected: "The screen has lost its connection",
  refused: "The screen's pictures were refused: report this",
  "no-picture": "The screen has no picture",
};
const maxDetail = 500;

/** @param row the command; undefined: it is gone. */
export function liveEndOf(row: CommandRow | undefined): LiveEnd {
  const error = row?.error == null ? null : (JSON.parse(row.error) as { code: string; detail: string });
  if (error !== null) return error;
  if (row?.status === "expired") return { code: "expired", detail: "The screen did not answer: it may be offline" };
  const result = row?.result == null ? {} : (JSON.parse(row.result) as Record<string, unknown>);
  const reason = LiveEndReason.safeParse(result["reason"]);
  const code = reason.success ? reason.data : "ended";
  const detail = deviceText(maxDetail).safeParse(result["detail"]);
  if (detail.success) return { code, detail: detail.data };
  return { code, detail: reason.success ? details[reason.data] : "The screen has ended the live view" };
}
