// The durable queue of play events: appended to files of 500, uploaded file by file, each deleted only after the answer. Bounded.
import { mkdir, open, readdir, readFile, rename, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { z } from "zod";
import { Backoff } from "../../base/async/backoff.ts";
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import { syncFolder } from "../../base/files/durable-file.ts";
import { isAbort, isFault, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { maxEventsInBatch, PlayEvent, PlayLayer, type PlayEventReceipt } from "../../protocol/device/play-events.ts";
import type { OpenPlay, ClockReading } from "./play-state.ts";
import { HttpFault } from "../link/service-http.ts";

/** What was open when it was last written, in words of the run that wrote it. */
export interface OpenPlaysSnapshot {
  bootId: string;
  clockOffsetMs: number;
  clockErrorMs: number | null;
  open: OpenPlay[];
}

/** What a start finds of the run before: its open plays and the last frame that it knew of. */
export interface PreviousRun {
  snapshot: OpenPlaysSnapshot;
  lastFrame: ClockReading | null;
}

/** Uploads a batch; rejects with {@link HttpFault} when the service refuses it as a whole. */
export type DeliverPlays = (events: PlayEvent[], signal: AbortSignal) => Promise<PlayEventReceipt>;

// 600 files of 500 events: a month of an item every nine seconds, about 200 MB.
const maxFiles = 600;
const uploadMs = 60_000;
// A power cut costs at most so much; kill -9 costs nothing of what was written.
const syncMs = 5_000;
const backoffBounds = { firstMs: 1_000, longestMs: 60_000 };

const StampSchema = z.object({ at: z.number(), mono: z.number() });
const Opened = z.object({
  id: z.string(),
  key: z.string(),
  // What the versions before these fields left open is closed all the same.
  stage: z.string().default(""),
  startsAt: z.number(),
  endsAt: z.number(),
  of: z.object({
    layoutId: z.string(),
    layer: PlayLayer.default("default"),
    scheduleId: z.string().nullable().default(null),
    overrideId: z.string().nullable().default(null),
    zoneId: z.string(),
    itemId: z.string(),
    assetId: z.string().nullable(),
    sha256: z.string().nullable(),
    revision: z.string(),
  }),
  started: StampSchema,
  trouble: z.string().nullable(),
});
const SnapshotSchema = z.object({
  bootId: z.string(),
  clockOffsetMs: z.number(),
  clockErrorMs: z.number().nullable(),
  open: z.array(Opened),
});
const Line = z.union([z.object({ event: PlayEvent }), z.object({ open: SnapshotSchema }), z.object({ frame: StampSchema })]);
type Line = z.infer<typeof Line>;

// Fields of an event that came after its first version, none of which it needs.
const laterFields = ["layer", "override_id"] as const;

export class PlayLog {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #bell = new Signal();
  /** Oldest first; the last is being written. */
  #files: number[];
  #current: { file: FileHandle; events: number; since: number; syncedAt: number };
  #snapshot: OpenPlaysSnapshot;
  /** Of this run. */
  #lastFrame: ClockReading | null = null;
  #lost = 0;
  #writing: Promise<void> = Promise.resolve();

  private constructor(folder: string, clock: Clock, log: Log, files: number[], file: FileHandle, { snapshot }: PreviousRun) {
    this.#folder = folder;
    this.#clock = clock;
    this.#log = log;
    this.#files = files;
    this.#snapshot = snapshot;
    this.#current = { file, events: 0, since: clock.monotonic(), syncedAt: clock.monotonic() };
  }

  /** Opens the queue in `folder`. `left` is what the run before had open; it is kept until {@link append} replaces it. */
  static async open(folder: string, clock: Clock, log: Log): Promise<{ playLog: PlayLog; left: PreviousRun }> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const files = (await readdir(folder))
      .filter((name) => /^\d{12}\.plays$/.test(name))
      .map((name) => Number.parseInt(name, 10))
      .toSorted((a, b) => a - b);
    const last = files.at(-1);
    const left = leftIn(last === undefined ? [] : await readLines(pathOf(folder, last), log));
    const next = (last ?? 0) + 1;
    const file = await begin(folder, next, left);
    return { playLog: new PlayLog(folder, clock, log, [...files, next], file, left), left };
  }

  /** Events given up because the queue was full, since the start. */
  get lostCount(): number {
    return this.#lost;
  }

  /** Keeps finished plays and what is open since, in one write: a crash leaves both or neither. */
  append(events: readonly PlayEvent[], snapshot: OpenPlaysSnapshot): Promise<void> {
    return this.#turn(async () => {
      // What the run before left open goes out at once, not with what plays now.
      const isLeftOver = snapshot.bootId !== this.#snapshot.bootId && this.#snapshot.open.length > 0;
      this.#snapshot = snapshot;
      await this.#write([...events.map((event) => ({ event })), { open: snapshot }]);
      const monotonic = this.#clock.monotonic();
      if (this.#current.events === 0 && events.length > 0) this.#current.since = monotonic;
      this.#current.events += events.length;
      if (monotonic - this.#current.syncedAt >= syncMs) {
        await this.#current.file.datasync();
        this.#current.syncedAt = monotonic;
      }
      if (isLeftOver || this.#current.events >= maxEventsInBatch) await this.#rotate();
      if (events.length > 0) this.#bell.notify();
    });
  }

  /** Notes the last frame that is known of, without hurry. */
  recordFrame(at: ClockReading): Promise<void> {
    return this.#turn(async () => {
      this.#lastFrame = at;
      await this.#write([{ frame: at }]);
    });
  }

  /** Uploads a file at a time, each once it is full or a minute old, until `signal` aborts. @throws Fault `revoked`. */
  async run(deliver: DeliverPlays, signal: AbortSignal): Promise<never> {
    const backoff = new Backoff(backoffBounds);
    for (;;) {
      const number = await this.#due(signal);
      try {
        await this.#upload(number, deliver, signal);
        backoff.reset();
      } catch (error) {
        if ((isAbort(error) && signal.aborted) || isFault(error, "revoked")) throw error;
        const waitMs = backoff.next();
        const about = { reason: reasonOf(error), files: this.#files.length, retry_in_ms: Math.round(waitMs) };
        this.#log.warn(about, "play events could not be delivered");
        await this.#clock.wait(waitMs, signal);
      }
    }
  }

  /** Writes what is under way and closes the file. */
  close(): Promise<void> {
    return this.#turn(async () => {
      await this.#current.file.datasync();
      await this.#current.file.close();
    });
  }

  /** Forgets all, after a revocation; only once it is closed. */
  async purge(): Promise<void> {
    await this.#writing;
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** The oldest file that is to be uploaded; waits for one. */
  async #due(signal: AbortSignal): Promise<number> {
    for (;;) {
      if (this.#files.length > 1) return this.#files[0]!;
      const age = this.#clock.monotonic() - this.#current.since;
      if (this.#current.events > 0 && age >= uploadMs) await this.#turn(() => this.#rotate());
      else await this.#bell.wait(this.#clock, this.#current.events === 0 ? Number.POSITIVE_INFINITY : uploadMs - age, signal);
    }
  }

  async #upload(number: number, deliver: DeliverPlays, signal: AbortSignal): Promise<void> {
    const lines = await readLines(pathOf(this.#folder, number), this.#log);
    const events = lines.flatMap((line) => ("event" in line ? line.event : []));
    // A file may hold a few more than a batch: what one write closed stays together.
    for (let first = 0; first < events.length; first += maxEventsInBatch) {
      try {
        const batch = events.slice(first, first + maxEventsInBatch);
        const { accepted, duplicates, rejected } = await this.#deliver(batch, deliver, signal);
        if (rejected.length > 0)
          this.#log.error({ rejected: rejected.slice(0, 10), count: rejected.length }, "the service refuses play events");
        this.#log.debug({ accepted, duplicates }, "play events delivered");
      } catch (error) {
        if (!(error instanceof HttpFault) || ![400, 413, 422].includes(error.status)) throw error;
        this.#log.error(
          { reason: error.message, events: events.length },
          "the service refuses a batch of play events for good: it is dropped",
        );
      }
    }
    await this.#turn(() => this.#drop(number));
  }

  /** Uploads a batch. An older service takes no event with a field that it does not know: it gets those without. */
  async #deliver(batch: readonly PlayEvent[], deliver: DeliverPlays, signal: AbortSignal): Promise<PlayEventReceipt> {
    const receipt = await deliver([...batch], signal);
    const plainer = receipt.rejected.flatMap(({ index, errors }) => {
      const event = batch[index];
      const isOlder = errors.length > 0 && errors.every(({ pointer }) => laterFields.some((field) => pointer === `/${field}`));
      return event !== undefined && isOlder ? [{ index, event: withoutLater(event) }] : [];
    });
    if (plainer.length === 0) return receipt;
    const second = await deliver(
      plainer.map(({ event }) => event),
      signal,
    );
    const isPlainer = new Set(plainer.map(({ index }) => index));
    const still = second.rejected.map((fault) => ({ ...fault, index: plainer[fault.index]?.index ?? fault.index }));
    return {
      accepted: receipt.accepted + second.accepted,
      duplicates: receipt.duplicates + second.duplicates,
      rejected: [...receipt.rejected.filter(({ index }) => !isPlainer.has(index)), ...still],
    };
  }

  async #rotate(): Promise<void> {
    const before = this.#current.file;
    const next = this.#files.at(-1)! + 1;
    const file = await begin(this.#folder, next, { snapshot: this.#snapshot, lastFrame: this.#lastFrame });
    this.#files.push(next);
    const monotonic = this.#clock.monotonic();
    this.#current = { file, events: 0, since: monotonic, syncedAt: monotonic };
    await before.datasync();
    await before.close();
    while (this.#files.length > maxFiles) {
      this.#lost += maxEventsInBatch;
      this.#log.error({ lost: this.#lost }, "the queue of play events is full: its oldest file was given up");
      await this.#drop(this.#files[0]!);
    }
  }

  async #drop(number: number): Promise<void> {
    this.#files = this.#files.filter((other) => other !== number);
    await rm(pathOf(this.#folder, number), { force: true });
  }

  #write(lines: readonly Line[]): Promise<unknown> {
    return this.#current.file.appendFile(lines.map(seal).join(""));
  }

  /** One write after the other, in the order they were asked for. */
  #turn(act: () => Promise<void>): Promise<void> {
    const turn = this.#writing.then(act);
    this.#writing = turn.catch(() => undefined);
    return turn;
  }
}

function withoutLater({ layer: _layer, override_id: _override, ...event }: PlayEvent): PlayEvent {
  return event;
}

/** A file appears whole with what is open: the newest file always tells what a crash would leave. */
async function begin(folder: string, number: number, { snapshot, lastFrame }: PreviousRun): Promise<FileHandle> {
  const path = pathOf(folder, number);
  const file = await open(`${path}.new`, "w", 0o600);
  const lines: Line[] = [{ open: snapshot }, ...(lastFrame === null ? [] : [{ frame: lastFrame }])];
  await file.appendFile(lines.map(seal).join(""));
  await file.datasync();
  await rename(`${path}.new`, path);
  await syncFolder(folder);
  return file;
}

/** What was open at the end of these lines. A play whose end stands here is over, even if the write was torn right after it. */
function leftIn(lines: readonly Line[]): PreviousRun {
  let snapshot: OpenPlaysSnapshot = { bootId: "", clockOffsetMs: 0, clockErrorMs: null, open: [] };
  let lastFrame: ClockReading | null = null;
  const ended = new Set<string>();
  for (const line of lines) {
    if ("event" in line) ended.add(line.event.id);
    else if ("frame" in line) lastFrame = line.frame;
    else {
      // Another run's monotonic clock has another origin: its frames say nothing of these plays.
      if (line.open.bootId !== snapshot.bootId) lastFrame = null;
      snapshot = line.open;
    }
  }
  return { snapshot: { ...snapshot, open: snapshot.open.filter(({ id }) => !ended.has(id)) }, lastFrame };
}

function seal(line: Line): string {
  const body = JSON.stringify(line);
  return `${crc32(body).toString(16).padStart(8, "0")} ${body}\n`;
}

async function readLines(path: string, log: Log): Promise<Line[]> {
  const texts = (await readFile(path, "utf8")).split("\n");
  const lines = texts.flatMap((text, place): Line[] => {
    const body = text.slice(9);
    if (text !== "" && Number.parseInt(text.slice(0, 8), 16) === crc32(body)) {
      const line = Line.safeParse(JSON.parse(body));
      if (line.success) return [line.data];
    }
    // The last one may be torn by a power cut; before it, only a failing disk damages a line.
    if (place < texts.length - 1) log.error({ path, line: place + 1 }, "a line of the play events is damaged: it is dropped");
    return [];
  });
  return lines;
}

function pathOf(folder: string, number: number): string {
  return join(folder, `${String(number).padStart(12, "0")}.plays`);
}
