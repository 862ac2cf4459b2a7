// Keeps proof of play: feeds plans and the page's reports to the step machine, and what it finishes to the durable log.
import type { CorrectedClock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { ulid } from "../../base/ulid.ts";
import type { PlayEvent } from "../../protocol/device/play-events.ts";
import type { FromPage, Stage } from "../../protocol/scene.ts";
import { parseCause } from "../../schedule/cause.ts";
import type { ReadyState } from "../content/content-cache.ts";
import { PlayLog, type DeliverPlays, type PreviousRun, type OpenPlaysSnapshot } from "./play-log.ts";
import {
  closePlay,
  initialPlayState,
  step,
  type FinishedPlay,
  type PlannedPlay,
  type PlayIdentity,
  type PlayInput,
  type ClockReading,
} from "./play-state.ts";

/** What the page says of a play, as far as it tells of what it is a play. */
type Played = Pick<Extract<FromPage, { type: "presented" }>, "zone_id" | "cause" | "item_id" | "asset_id">;

// A crash costs at most so much of the play that was open.
const frameEveryMs = 5_000;

export interface ProofDependencies {
  /** Where the events wait for the service. */
  folder: string;
  /** Names this run of the player. */
  bootId: string;
  clock: CorrectedClock;
  log: Log;
}

export class ProofOfPlay {
  readonly #parts: ProofDependencies;
  /** Null where the disk did not let it be opened. */
  readonly #playLog: PlayLog | null;
  /** The state that is due, which has the hashes of what plays. */
  #ready: ReadyState | null = null;
  #plays = initialPlayState;
  #keptFrame = Number.NEGATIVE_INFINITY;

  private constructor(parts: ProofDependencies, playLog: PlayLog | null) {
    this.#parts = parts;
    this.#playLog = playLog;
  }

  /** Opens the log; plays that the run before left open end at the last frame that it knew of. */
  static async open(parts: ProofDependencies): Promise<ProofOfPlay> {
    const opened = await PlayLog.open(parts.folder, parts.clock, parts.log).catch((error: unknown) => {
      // A full or broken disk must not keep the picture away.
      parts.log.error({ err: error }, "play events cannot be kept: proof of play is lost until the next start");
      return null;
    });
    const proof = new ProofOfPlay(parts, opened?.playLog ?? null);
    if (opened !== null) await proof.#keep(opened.playLog.append(endsOf(opened.left), proof.#snapshot()));
    return proof;
  }

  /**
   * What is due from now on: the stage as the page gets it, null for none, and since when it is due (corrected wall time
   * in ms). Resolves once what follows is written.
   */
  async setPlan(stage: Stage | null, ready: ReadyState | null, since = Number.POSITIVE_INFINITY): Promise<void> {
    if (ready !== null) this.#ready = ready;
    const now = this.#now();
    const sinceAt = Math.min(since, now.at);
    const zones = (stage?.zones ?? []).map(({ id, slots }) => ({
      id,
      plays: slots.flatMap(({ key, cause, starts_at, ends_at, whole_ends_at, offset_ms, item }): PlannedPlay[] => {
        const of = this.#playOf({ zone_id: id, cause, ...item });
        // A play that the program cuts short has not been shown to its end.
        const endsAt = whole_ends_at ?? ends_at;
        return of === null ? [] : [{ key, stage: stage!.key, startsAt: starts_at - offset_ms, endsAt, of }];
      }),
    }));
    const sinceStamp = { at: sinceAt, mono: now.mono - (now.at - sinceAt) };
    await this.#step({ is: "planned", now, since: sinceStamp, stage: stage?.key ?? null, zones });
  }

  /** Takes in what the page reports. Resolves once what follows is written. */
  async handleMessage(message: FromPage): Promise<void> {
    switch (message.type) {
      case "presented": {
        const { stage, key, starts_at, ends_at, at } = message;
        const of = this.#playOf(message);
        if (of === null || stage === undefined)
          return this.#parts.log.error({ key }, "the page does not say why an item is on: no proof of it");
        const play = { key, stage, startsAt: starts_at ?? at, endsAt: ends_at ?? at, of };
        return this.#step({ is: "presented", play, at: this.#stampOf(at) });
      }
      case "failed": {
        const { stage, key, code } = message;
        const of = this.#playOf(message);
        const at = message.at === undefined ? null : this.#stampOf(message.at);
        if (of !== null && stage !== undefined) await this.#step({ is: "failed", play: { key, stage, of }, code, at });
        return;
      }
      case "fallback": {
        const { stage, zone_id: zoneId, at } = message;
        if (stage !== undefined) await this.#step({ is: "fallback", stage, zoneId, at: this.#stampOf(at) });
        return;
      }
      case "stage": {
        const { key, showing, at } = message;
        const shown = showing.flatMap((each) => {
          const of = this.#playOf({ ...each, item_id: "", asset_id: null });
          return of === null ? [] : [{ key: each.key, of }];
        });
        return this.#step({ is: "stage", key, showing: shown, at: this.#stampOf(at) });
      }
      case "screen":
        return this.#step({ is: "screen", at: this.#stampOf(message.at) });
      case "hello":
        return this.#step({ is: "page", openedAt: message.opened_at ?? null });
      case "beat":
        if (message.frames > 0) await this.#step({ is: "frame", at: this.#stampOf(message.at) });
        return;
      case "clock":
      case "simplified":
      case "flawed":
      case "fault":
    }
  }

  /** Uploads until `signal` aborts. @throws Fault `revoked`. */
  async run(deliver: DeliverPlays, signal: AbortSignal): Promise<never> {
    if (this.#playLog !== null) return this.#playLog.run(deliver, signal);
    for (;;) await this.#parts.clock.wait(Number.POSITIVE_INFINITY, signal);
  }

  /** Ends what plays, since the player stops, and writes all down. */
  async stop(): Promise<void> {
    await this.#step({ is: "stopped", now: this.#now() });
    if (this.#playLog !== null) await this.#keep(this.#playLog.close());
  }

  /** Forgets all, after a revocation; only once it has stopped. */
  async purge(): Promise<void> {
    await this.#playLog?.purge();
  }

  async #step(event: PlayInput): Promise<void> {
    const before = this.#plays;
    const { plays, done } = step(before, event, () => `evt_${ulid(this.#parts.clock.now())}`);
    this.#plays = plays;
    if (this.#playLog === null) return;
    const writing: Promise<void>[] = [];
    if (done.length > 0 || plays.open !== before.open) {
      const snapshot = this.#snapshot();
      const events = done.map((play) => eventOf(play, snapshot));
      writing.push(this.#playLog.append(events, snapshot));
    }
    const { lastFrame } = plays;
    if (lastFrame !== null && plays.open.size > 0 && lastFrame.mono - this.#keptFrame >= frameEveryMs) {
      this.#keptFrame = lastFrame.mono;
      writing.push(this.#playLog.recordFrame(lastFrame));
    }
    await this.#keep(Promise.all(writing));
  }

  /** A full or broken disk must not take the picture away: the loss is told, and playback goes on. */
  async #keep(writing: Promise<unknown>): Promise<void> {
    try {
      await writing;
    } catch (error) {
      this.#parts.log.error({ err: error }, "play events could not be written down");
    }
  }

  #snapshot(): OpenPlaysSnapshot {
    const { clock, bootId } = this.#parts;
    const { offsetMs, errorMs } = clock.offset;
    return {
      bootId,
      clockOffsetMs: offsetMs,
      clockErrorMs: Number.isFinite(errorMs) ? errorMs : null,
      open: [...this.#plays.open.values()],
    };
  }

  /** Null where the cause cannot be told. */
  #playOf({ zone_id, cause, item_id, asset_id }: Played): PlayIdentity | null {
    const known = parseCause(cause ?? "");
    if (known === null) return null;
    const { files, desired } = this.#ready ?? { files: new Map<string, string>(), desired: { revision: "" } };
    const sha256 = asset_id === null ? null : (files.get(asset_id) ?? null);
    return { ...known, zoneId: zone_id, itemId: item_id, assetId: asset_id, sha256, revision: desired.revision };
  }

  #now(): ClockReading {
    return { at: this.#parts.clock.now(), mono: this.#parts.clock.monotonic() };
  }

  /** The page's corrected time on both of our clocks. One that cannot be, as after a step of the clock, is put where it can. */
  #stampOf(at: number): ClockReading {
    const now = this.#now();
    const earliest = this.#plays.lastFrame?.mono ?? Number.NEGATIVE_INFINITY;
    const mono = Math.min(now.mono, Math.max(earliest, now.mono - (now.at - at)));
    return { mono, at: now.at - (now.mono - mono) };
  }
}

/** The events of what a run before left open. */
function endsOf({ snapshot, lastFrame }: PreviousRun): PlayEvent[] {
  return snapshot.open.map((open) => {
    const at = lastFrame === null || lastFrame.mono < open.started.mono ? open.started : lastFrame;
    return eventOf(closePlay(open, at, "interrupted"), snapshot);
  });
}

function eventOf({ id, of, result, reason, started, ended }: FinishedPlay, snapshot: Omit<OpenPlaysSnapshot, "open">): PlayEvent {
  // Whole milliseconds on the monotonic clock, so that plays that touch add up without a remainder.
  const durationMs = Math.round(ended.mono) - Math.round(started.mono);
  // The wall clock was set meanwhile: what it says now is right for the beginning too.
  const stepped = Math.abs(ended.at - started.at - durationMs) > 1_000;
  return {
    id,
    layout_id: of.layoutId,
    zone_id: of.zoneId,
    schedule_id: of.scheduleId,
    override_id: of.overrideId,
    layer: of.layer,
    item_id: of.itemId,
    asset_id: of.assetId,
    sha256: of.sha256,
    revision: of.revision,
    result,
    reason,
    started_at: new Date(stepped ? ended.at - durationMs : started.at).toISOString(),
    ended_at: new Date(ended.at).toISOString(),
    duration_ms: durationMs,
    started_monotonic_ms: started.mono,
    ended_monotonic_ms: ended.mono,
    boot_id: snapshot.bootId,
    clock_offset_ms: snapshot.clockOffsetMs,
    clock_error_ms: snapshot.clockErrorMs,
  };
}
