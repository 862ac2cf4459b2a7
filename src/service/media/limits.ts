// The limits of media jobs, and the errors for files that exceed them.
import type { ProblemError } from "../http/problem.ts";
import { badFile } from "./bad-file.ts";

/** The limits of one job. */
export interface MediaLimits {
  /** CPU time, ms. Enforced only on Linux, where it can be measured. */
  processorMs: number;
  /** Elapsed time, ms: longer than the CPU time, since the machine may be busy or its disk slow. */
  wallMs: number;
  /** Resident memory, MB. Enforced only on Linux, where it can be measured. */
  memoryMb: number;
}

/** The kind of file that a job processes; `unknown` until the type of the file is known. */
export type JobKind = "unknown" | "svg" | "picture" | "document" | "bundle" | "video" | "sound" | "thumbnail";
export type LimitTable = Readonly<Record<JobKind, MediaLimits>>;

/** The limit that a job exceeded; `reply`: the process sent an invalid reply or one that is too long. */
export type ExceededLimit = keyof MediaLimits | "reply";

/**
 * Generous enough for a Raspberry Pi, which needs about five times as long as a desktop computer. The largest picture, of 16384 ×
 * 16384 pixels, takes 1.5 GB when decoded.
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

/** The operating system's limit for a media process (RLIMIT_DATA), above all limits of the table. */
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

/** The error for a file that exceeded a limit. */
export function limitError(kind: JobKind, limit: ExceededLimit, limits: MediaLimits): ProblemError {
  const { name, remedy } = subjects[kind];
  const reasons: Record<ExceededLimit, string> = {
    processorMs: `takes more than ${limits.processorMs / 1_000} s of CPU time to examine`,
    wallMs: `takes longer than ${limits.wallMs / 1_000} s to examine`,
    memoryMb: `takes more than ${limits.memoryMb} MB of memory to examine`,
    reply: "made the program that examines it send an invalid result",
  };
  return badFile(`The ${name} ${reasons[limit]}: ${remedy}`);
}

/** The error for a file that crashed its process. */
export function crashError(kind: JobKind, how: string): ProblemError {
  const { name, remedy } = subjects[kind];
  return badFile(`The ${name} crashed the program that examines it, or used all its memory (${how}): ${remedy}`);
}

/** The error for a file whose process something else killed twice. */
export function interruptionError(kind: JobKind): ProblemError {
  const { name, remedy } = subjects[kind];
  return badFile(
    `The ${name} could not be examined: the system killed the program that examines it twice, perhaps for lack of memory. Try again later, or ${remedy}`,
  );
}
