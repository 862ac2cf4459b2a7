// What an examination finds out, and how it refuses: the words that all kinds of file share.
import type { AssetKind } from "../../protocol/content/assets.ts";
import { extensions } from "../http/responses/content-disposition.ts";
import { ProblemError } from "../http/problem.ts";
import type { Media } from "./job-protocol.ts";

export type { Media } from "./job-protocol.ts";

/** The media types that assets have. */
export const mediaTypes: readonly string[] = Object.keys(extensions);

/** The media types of pictures that are taken and converted: no browser shows them. */
export const convertedTypes: readonly string[] = ["image/heic", "image/heif", "image/tiff", "image/bmp"];

/** A finding with nothing but what `more` says. */
export function mediaInfo(kind: AssetKind, mimeType: string, more: Partial<Media> = {}): Media {
  return {
    kind,
    mimeType,
    width: null,
    height: null,
    durationMs: null,
    pageCount: null,
    codec: null,
    convertedFrom: null,
    warnings: [],
    ...more,
  };
}

/** Refuses a file; `detail` says what is wrong with it and what to do. */
export function badFile(detail: string, cause?: unknown): ProblemError {
  return new ProblemError("bad-file", detail, { errors: [{ pointer: "", detail }], cause });
}

/** The first line of what a library complained of. */
export function errorSummary(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).split("\n")[0]!;
}
