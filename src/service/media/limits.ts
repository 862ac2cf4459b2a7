// How much a file may cost to examine, by what it is, and how a file that costs more is refused.
import type { ProblemError } from "../http/problem.ts";
import { badFile } from "./media.ts";

/** Bounds of one job of a media process. */
export interface MediaLimits {
  /** Processor time, ms. Held where the system tells it (Linux). */
  processorMs: number;
  /** Time on the clock, ms: more than the processor's, since a busy machine or a slow disk is nobody's fault. */
  wallMs: number;
  /** Resident memory, MB. Held where the system tells it (Linux). */
  memoryMb: number;
}

/** What a job is about; `unknown` until the bytes have been recognised. */
export type JobKind = "unknown" | "svg" | "picture" | "document" | "bundle" | "video" | "sound" | "thumbnail";
export type LimitTable = Readonly<Record<JobKind, MediaLimits>>;

/** Which of its limits a job ran into. */
export type ExceededLimit = keyof MediaLimits | "answer";

/**
 * For a slow board too: a Raspberry Pi needs about five times as long as a desk computer. The largest picture, 16384 pixels
 * square, takes a gigabyte and a half decoded.
 */
export const defaultLimits: LimitTable = {
  unknown: { processorMs: 5_000, wallMs: 60_000, memoryMb: 512 },
  svg: { processorMs: 6_000, wallMs: 60_000, memoryMb: 768 },
  picture: { processorMs: 60_000, wallMs: 240_000, memoryMb: 2_048 },
  document: { processorMs: 30_000, wallMs: 120_000, memoryMb: 1_024 },
  bundle: { processorMs: 60_000, wallMs: 240_000, memoryMb: 512 },
  video: { processorMs: 30_000, wallMs: 300_000, memoryMb: 768 },
  sound: { processorMs: 30_000, wallMs: 300_000, memoryMb: 768 },
  thumbnail: { processorMs: 20_000, wallMs: 120_000, memoryMb: 2_048 },
};

/** Beyond every limit above: the system itself refuses a media process more (RLIMIT_DATA). */
export const maxDataBytes = 3 * 1_024 ** 3;

const subjects: Record<JobKind, { name: string; remedy: string }> = {
  unknown: { name: "file", remedy: "export it again, simpler" },
  svg: { name: "SVG", remedy: "simplify it (filters, patterns and repeated <use> cost most), or export it as PNG" },
  picture: { name: "picture", remedy: "make it smaller; a 4K screen shows 3840 × 2160" },
  document: { name: "PDF", remedy: "export it again, simpler, or split it" },
  bundle: { name: "zip file", remedy: "leave out what the page does not need" },
  video: { name: "video", remedy: "encode it again as an ordinary MP4" },
  sound: { name: "sound", remedy: "encode it again as an ordinary MP3 or AAC" },
  thumbnail: { name: "file", remedy: "make it smaller" },
};

export function jobKindOf(mimeType: string): JobKind {
  if (mimeType === "image/svg+xml") return "svg";
  if (mimeType === "application/pdf") return "document";
  if (mimeType === "application/zip") return "bundle";
  if (mimeType.startsWith("image/")) return "picture";
  return mimeType.startsWith("video/") ? "video" : "sound";
}

/** Refuses a file that ran into a limit: which one, and what to do. */
export function limitError(kind: JobKind, excess: ExceededLimit, limits: MediaLimits): ProblemError {
  const { name, remedy } = subjects[kind];
  const reasons: Record<ExceededLimit, string> = {
    processorMs: `takes more than ${limits.processorMs / 1_000} s of processor time to examine`,
    wallMs: `takes longer than ${limits.wallMs / 1_000} s to examine`,
    memoryMb: `takes more than ${limits.memoryMb} MB of memory to examine`,
    answer: "says more about itself than is taken",
  };
  return badFile(`The ${name} ${reasons[excess]}: ${remedy}`);
}

/** Refuses a file on which the process that examined it crashed. */
export function crashError(kind: JobKind, how: string): ProblemError {
  const { name, remedy } = subjects[kind];
  return badFile(`The ${name} breaks the program that examines it, or takes all its memory (${how}): ${remedy}`);
}

/** Refuses a file after the process that examined it was ended from outside, twice. */
export function interruptionError(kind: JobKind): ProblemError {
  const { name, remedy } = subjects[kind];
  return badFile(
    `The ${name} could not be examined: the process that did it was ended from outside twice, perhaps for lack of memory. Try again later, or ${remedy}`,
  );
}
