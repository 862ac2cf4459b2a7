// The command live: sends pictures of the screen while somebody watches, one after the other, at most one stream at a time.
import type { Clock } from "../../base/clock.ts";
import { Fault, isAbort, isFault, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { hourMs, minuteMs } from "../../base/time.ts";
import { maxLiveFrameBytes, type LiveAnswer, type LiveEndReason } from "../../protocol/device/live.ts";
import type { LiveArgs } from "../../protocol/device/machine-commands.ts";
import { done, type CommandModule } from "../commands/command-module.ts";
import { HttpFault } from "../link/service-http.ts";
import type { Camera } from "./camera.ts";
import { LivePace } from "./live-pace.ts";

/** Sends a frame. Resolves with the service's limits for the next ones; null: nobody watches any more. */
export type SendLiveFrame = (streamId: string, frame: Buffer, signal: AbortSignal) => Promise<LiveAnswer | null>;

export interface LiveDependencies {
  camera: Camera;
  /** True if the machine has no time for pictures. */
  isBusy: () => boolean;
  clock: Clock;
  log: Log;
}

interface LiveResult {
  frames: number;
  bytes: number;
  reason: LiveEndReason;
  detail?: string;
}

// The longest duration of a stream, and its last upload.
const deadlineMs = hourMs + minuteMs;
// A page that crashed is back by then, and so is a line after a short interruption.
const longestGapMs = 15_000;
const retryMs = 1_000;

export class Live {
  readonly #dependencies: LiveDependencies;
  #send: SendLiveFrame | null = null;
  #newer = new AbortController();

  constructor(dependencies: LiveDependencies) {
    this.#dependencies = dependencies;
  }

  /** Sets how frames reach the service. */
  connect(send: SendLiveFrame): void {
    this.#send = send;
  }

  /** The command. It runs as long as its stream, and its result says why the stream ended. */
  get module(): CommandModule<"live"> {
    return {
      type: "live",
      deadlineMs,
      run: async ({ args }, signal) => {
        this.#newer.abort();
        const newer = new AbortController();
        this.#newer = newer;
        const { log } = this.#dependencies;
        log.info({ stream_id: args.stream_id, max_fps: args.max_fps }, "live view started");
        const result = await this.#stream(args, newer.signal, signal);
        log.info({ stream_id: args.stream_id, ...result }, "live view ended");
        return done({ ...result });
      },
    };
  }

  /** Sends frames until the stream ends. @throws the reason, if there is not even a first picture. */
  async #stream(args: LiveArgs, newer: AbortSignal, signal: AbortSignal): Promise<LiveResult> {
    const { clock, isBusy } = this.#dependencies;
    const end = AbortSignal.any([signal, newer]);
    const endsAt = clock.monotonic() + args.duration_ms;
    const pace = new LivePace(args);
    const sum = { frames: 0, bytes: 0 };
    let lastGoodAt = clock.monotonic();
    try {
      for (;;) {
        const startedAt = clock.monotonic();
        if (startedAt >= endsAt) return { ...sum, reason: "duration" };
        let intervalMs = retryMs;
        try {
          const bytes = pace.skips(isBusy()) ? null : await this.#sendFrame(args.stream_id, pace, end);
          if (bytes === "unwatched") return { ...sum, reason: "unwatched" };
          if (bytes !== null) {
            sum.frames += 1;
            sum.bytes += bytes;
          }
          lastGoodAt = clock.monotonic();
          ({ intervalMs } = pace);
        } catch (error) {
          const reason = this.#endReasonOf(error, sum.frames, clock.monotonic() - lastGoodAt);
          if (reason !== null) return { ...sum, reason, detail: reasonOf(error) };
        }
        await clock.wait(Math.min(endsAt, startedAt + intervalMs) - clock.monotonic(), end);
      }
    } catch (error) {
      if (isAbort(error) && newer.aborted && !signal.aborted) return { ...sum, reason: "replaced" };
      throw error;
    }
  }

  /** Takes and sends one frame. @returns its size. */
  async #sendFrame(streamId: string, pace: LivePace, signal: AbortSignal): Promise<number | "unwatched" | null> {
    const { camera, clock } = this.#dependencies;
    if (this.#send === null) throw new Fault("unreachable", "there is no connection to the service");
    const { bytes, captureMs } = await camera.take(pace.picture, signal);
    if (bytes.length > maxLiveFrameBytes) {
      pace.lower();
      return null;
    }
    const uploadedAt = clock.monotonic();
    const answer = await this.#send(streamId, bytes, signal);
    if (answer === null) return "unwatched";
    pace.sent(answer, captureMs, clock.monotonic() - uploadedAt);
    return bytes.length;
  }

  /** Why the stream ends because of a failed frame; null: it goes on. @throws an error that ends the command as failed. */
  #endReasonOf(error: unknown, frames: number, gapMs: number): LiveEndReason | null {
    if (isAbort(error) || !isFault(error) || error.code === "revoked") throw error;
    const isOfLine = error.code === "unreachable" || error.code === "refused" || error.code === "protocol";
    if (isOfLine && error instanceof HttpFault && error.isPermanent) return "refused";
    // Without a first picture nobody sees that the view has begun: say at once why there is none.
    if (frames === 0 && !isOfLine) throw error;
    if (error.code === "display-off") return "no-picture";
    if (gapMs <= longestGapMs) return null;
    return isOfLine ? "disconnected" : "no-picture";
  }
}
