// The file format of the play log: one JSON object with a checksum per line. Recovers the plays that a crash left open.
import { open, readFile, rename, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { z } from "zod";
import { makeFolder, syncFolder } from "../../base/files/durable-file.ts";
import { recordText } from "../../base/files/record.ts";
import { PlayEvent, PlayLayer } from "../../protocol/device/play-events.ts";
import type { ClockReading, OpenPlay } from "./play-types.ts";
import { isMissing } from "../../base/files/is-accessible.ts";

/** The open plays of a run, and that run's clocks. */
export interface OpenPlaysSnapshot {
  bootId: string;
  clockOffsetMs: number;
  clockErrorMs: number | null;
  open: OpenPlay[];
}

/** The open plays of the previous run, and the last frame that it recorded. */
export interface PreviousRun {
  snapshot: OpenPlaysSnapshot;
  lastFrame: ClockReading | null;
}

const StoredReading = z.object({ at: z.number(), mono: z.number() });
const StoredPlay = z.object({
  id: z.string(),
  key: z.string(),
  // The defaults are for open plays that older versions wrote without these fields.
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
  started: StoredReading,
  trouble: z.string().nullable(),
});
const StoredSnapshot = z.object({
  bootId: z.string(),
  clockOffsetMs: z.number(),
  clockErrorMs: z.number().nullable(),
  open: z.array(StoredPlay),
});
const PlayLogLine = z.union([z.object({ event: PlayEvent }), z.object({ open: StoredSnapshot }), z.object({ frame: StoredReading })]);
export type PlayLogLine = z.infer<typeof PlayLogLine>;

const checksumLength = 8;

export function playLogPath(folder: string, number: number): string {
  return join(folder, `${String(number).padStart(12, "0")}.plays`);
}

function formatLines(lines: readonly PlayLogLine[]): string {
  return lines.map(formatLine).join("");
}

function formatLine(line: PlayLogLine): string {
  const body = recordText(line, (json) => PlayLogLine.parse(json), "a line of the play log");
  return `${crc32(body).toString(16).padStart(checksumLength, "0")} ${body}\n`;
}

/** A file that is being written. */
export class PlayLogFile {
  readonly number: number;
  readonly #path: string;
  readonly #file: FileHandle;
  #bytes: number;
  /** True if a failed append may have left a part of its lines at the end. */
  #hasRest = false;

  private constructor(number: number, path: string, file: FileHandle, bytes: number) {
    this.number = number;
    this.#path = path;
    this.#file = file;
    this.#bytes = bytes;
  }

  /** Creates a file. It appears only once it contains the open plays, so the newest file always contains them after a crash. */
  static async create(folder: string, number: number, { snapshot, lastFrame }: PreviousRun): Promise<PlayLogFile> {
    await makeFolder(folder);
    const path = playLogPath(folder, number);
    const file = await open(`${path}.new`, "w", 0o600);
    try {
      const first = formatLines([{ open: snapshot }, ...(lastFrame === null ? [] : [{ frame: lastFrame }])]);
      await file.appendFile(first);
      await file.datasync();
      await rename(`${path}.new`, path);
      await syncFolder(folder);
      return new PlayLogFile(number, path, file, Buffer.byteLength(first));
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Appends lines. After a failure none of them counts as written: the next append removes the bytes that reached the disk. */
  async append(lines: readonly PlayLogLine[]): Promise<void> {
    const bytes = Buffer.from(formatLines(lines));
    if (this.#hasRest) await this.#file.truncate(this.#bytes);
    this.#hasRest = true;
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, this.#bytes + done);
      done += bytesWritten;
    }
    this.#bytes += bytes.length;
    this.#hasRest = false;
  }

  sync(): Promise<void> {
    return this.#file.datasync();
  }

  async close(): Promise<void> {
    try {
      await this.#file.datasync();
    } finally {
      await this.#file.close();
    }
  }

  /** True if the file still has its name. A deleted one can be written, but not read again. */
  async exists(): Promise<boolean> {
    return !(await isMissing(this.#path));
  }
}

/**
 * Why a line cannot be read. Torn: a crash or a power loss kept a part of it from the disk. Damaged: the disk changed it. Unknown: it is
 * whole, but another version of the player wrote it.
 */
export type LineFault = "torn" | "damaged" | "unknown";

/** The lines of a file. Those that cannot be read are skipped. @param onFault called with the number of each, and why. */
export async function readLines(path: string, onFault: (line: number, fault: LineFault) => void): Promise<PlayLogLine[]> {
  const texts = (await readFile(path, "utf8")).split("\n");
  return texts.flatMap((text, index): PlayLogLine[] => {
    const isLast = index === texts.length - 1;
    if (isLast && text === "") return [];
    // A write that a power loss kept from the disk leaves zeros if a later one is there. The later one follows them on the same line.
    const zero = text.lastIndexOf("\0");
    if (zero !== -1) onFault(index + 1, "torn");
    const body = checkedBody(text.slice(zero + 1));
    const line = body === null ? null : PlayLogLine.safeParse(healed(JSON.parse(body)));
    if (line?.success === true) return [line.data];
    if (zero === -1) onFault(index + 1, line !== null ? "unknown" : isLast ? "torn" : "damaged");
    return [];
  });
}

const OlderEvent = z.object({
  event: z.looseObject({ started_at: z.iso.datetime(), ended_at: z.iso.datetime(), started_monotonic_ms: z.number().negative() }),
});

/**
 * Earlier versions gave a play without frames whose slot began before the player the time of its slot, which is below 0 on the
 * player's monotonic clock. Such a play was due when the player began.
 */
function healed(line: unknown): unknown {
  const older = OlderEvent.safeParse(line);
  if (!older.success) return line;
  const { event } = older.data;
  const late = -event.started_monotonic_ms;
  const at = new Date(Date.parse(event.started_at) + late).toISOString();
  return { event: { ...event, started_at: at, ended_at: at, duration_ms: 0, started_monotonic_ms: 0, ended_monotonic_ms: 0 } };
}

/** The JSON of a line; null if its checksum is missing or does not match. */
function checkedBody(text: string): string | null {
  const body = text.slice(checksumLength + 1);
  return body !== "" && Number.parseInt(text.slice(0, checksumLength), 16) === crc32(body) ? body : null;
}

/** The plays that were open at the end of these lines. A play whose event is written has ended, even if the crash came right after it. */
export function previousRunIn(lines: readonly PlayLogLine[]): PreviousRun {
  let snapshot: OpenPlaysSnapshot = { bootId: "", clockOffsetMs: 0, clockErrorMs: null, open: [] };
  let lastFrame: ClockReading | null = null;
  const ended = new Set<string>();
  for (const line of lines) {
    if ("event" in line) ended.add(line.event.id);
    else if ("frame" in line) lastFrame = line.frame;
    else {
      // Each run has its own monotonic clock, so a frame of another run says nothing about these plays.
      if (line.open.bootId !== snapshot.bootId) lastFrame = null;
      snapshot = line.open;
    }
  }
  return { snapshot: { ...snapshot, open: snapshot.open.filter(({ id }) => !ended.has(id)) }, lastFrame };
}
