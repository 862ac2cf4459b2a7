// Keeps proof of play: feeds plans and the page's reports to the step machine, and what it finishes to the durable log.
import type { CorrectedClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { ulid } from "../base/ulid.ts";
import type { PlayEvent } from "../protocol/play-event.ts";
import type { FromPage, Stage } from "../protocol/scene.ts";
import type { Ready } from "./content-cache.ts";
import { PlayLog, type DeliverPlays, type LeftOver, type Snapshot } from "./play-log.ts";
import { close, nothingPlays, step, type DonePlay, type PlannedPlay, type PlayStep, type Stamp } from "./plays.ts";

// A crash costs at most so much of the play that was open.
const frameEveryMs = 5_000;

export interface ProofParts {
  /** Where the events wait for the service. */
  folder: string;
  /** Names this run of the player. */
  bootId: string;
  clock: CorrectedClock;
  log: Log;
}

export class ProofOfPlay {
  readonly #parts: ProofParts;
  /** Null where the disk did not let it be opened. */
  readonly #playLog: PlayLog | null;
  #plays = nothingPlays;
  #keptFrame = Number.NEGATIVE_INFINITY;

  private constructor(parts: ProofParts, playLog: PlayLog | null) {
    this.#parts = parts;
    this.#playLog = playLog;
  }

  /** Opens the log; plays that the run before left open end at the last frame that it knew of. */
  static async open(parts: ProofParts): Promise<ProofOfPlay> {
    const opened = await PlayLog.open(parts.folder, parts.clock, parts.log).catch((error: unknown) => {
      // A full or broken disk must not keep the picture away.
      parts.log.error({ err: error }, "play events cannot be kept: proof of play is lost until the next start");
      return null;
    });
    const proof = new ProofOfPlay(parts, opened?.playLog ?? null);
    if (opened !== null) await proof.#keep(opened.playLog.append(endsOf(opened.left), proof.#snapshot()));
    return proof;
  }

  /** What is due from now on: the stage as the page gets it, null for none. Resolves once what follows is written. */
  async planned(stage: Stage | null, ready: Ready | null): Promise<void> {
    const layoutId = ready?.desired.layout?.id;
    const zones =
      stage === null || ready === null || layoutId === undefined
        ? []
        : stage.zones.map(({ id, slots }) => ({
            id,
            plays: slots.map(({ key, starts_at, ends_at, offset_ms, item }): PlannedPlay => ({
              key: `${id} ${key}`,
              startsAt: starts_at - offset_ms,
              endsAt: ends_at,
              of: {
                layoutId,
                zoneId: id,
                itemId: item.item_id,
                assetId: item.asset_id,
                sha256: item.asset_id === null ? null : (ready.files.get(item.asset_id) ?? null),
                revision: ready.desired.revision,
              },
            })),
          }));
    await this.#step({ is: "planned", now: this.#now(), zones });
  }

  /** Takes in what the page reports. Resolves once what follows is written. */
  async note(message: FromPage): Promise<void> {
    if (message.type === "presented") {
      const { zone_id: zoneId, key, at } = message;
      await this.#step({ is: "presented", zoneId, key: `${zoneId} ${key}`, at: this.#stampOf(at) });
    } else if (message.type === "failed") {
      const { zone_id: zoneId, key, code, at } = message;
      await this.#step({ is: "failed", zoneId, key: `${zoneId} ${key}`, code, at: at === undefined ? null : this.#stampOf(at) });
    } else if (message.type === "fallback") {
      await this.#step({ is: "cleared", zoneId: message.zone_id, at: this.#stampOf(message.at) });
    } else if (message.type === "screen") {
      await this.#step({ is: "screen", at: this.#stampOf(message.at) });
    } else if (message.type === "hello") {
      await this.#step({ is: "page", openedAt: message.opened_at ?? null });
    } else if (message.type === "beat" && message.frames > 0) {
      await this.#step({ is: "frame", at: this.#stampOf(message.at) });
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

  async #step(event: PlayStep): Promise<void> {
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
      writing.push(this.#playLog.frame(lastFrame));
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

  #snapshot(): Snapshot {
    const { clock, bootId } = this.#parts;
    const { offsetMs, errorMs } = clock.offset;
    return {
      bootId,
      clockOffsetMs: offsetMs,
      clockErrorMs: Number.isFinite(errorMs) ? errorMs : null,
      open: [...this.#plays.open.values()],
    };
  }

  #now(): Stamp {
    return { at: this.#parts.clock.now(), mono: this.#parts.clock.monotonic() };
  }

  /** The page's corrected time on both of our clocks. One that cannot be, as after a step of the clock, is put where it can. */
  #stampOf(at: number): Stamp {
    const now = this.#now();
    const earliest = this.#plays.lastFrame?.mono ?? Number.NEGATIVE_INFINITY;
    const mono = Math.min(now.mono, Math.max(earliest, now.mono - (now.at - at)));
    return { mono, at: now.at - (now.mono - mono) };
  }
}

/** The events of what a run before left open. */
function endsOf({ snapshot, lastFrame }: LeftOver): PlayEvent[] {
  return snapshot.open.map((open) => {
    const at = lastFrame === null || lastFrame.mono < open.started.mono ? open.started : lastFrame;
    return eventOf(close(open, at, "interrupted"), snapshot);
  });
}

function eventOf({ id, of, result, reason, started, ended }: DonePlay, snapshot: Omit<Snapshot, "open">): PlayEvent {
  // Whole milliseconds on the monotonic clock, so that plays that touch add up without a remainder.
  const durationMs = Math.round(ended.mono) - Math.round(started.mono);
  // The wall clock was set meanwhile: what it says now is right for the beginning too.
  const stepped = Math.abs(ended.at - started.at - durationMs) > 1_000;
  return {
    id,
    layout_id: of.layoutId,
    zone_id: of.zoneId,
    schedule_id: null,
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
