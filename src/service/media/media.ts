// What an examination finds out, and how it refuses: the words that all kinds of file share.
import type { AssetKind, AssetWarning } from "../../protocol/assets.ts";
import { Refusal } from "../problem.ts";

/** What the bytes turned out to be. */
export interface Media {
  kind: AssetKind;
  mimeType: string;
  /** Size of a picture or a video, pixels, else null. */
  width: number | null;
  height: number | null;
  /** Length of a video or a sound, else null. */
  durationMs: number | null;
  /** Pages of a document, else null. */
  pageCount: number | null;
  /** Codec of a video's picture or of a sound, such as `avc`, else null. */
  codec: string | null;
  /** What may go wrong on a screen all the same. */
  warnings: AssetWarning[];
}

/** A finding with nothing but what `more` says. */
export function media(kind: AssetKind, mimeType: string, more: Partial<Media> = {}): Media {
  return { kind, mimeType, width: null, height: null, durationMs: null, pageCount: null, codec: null, warnings: [], ...more };
}

/** Refuses a file; `detail` says what is wrong with it and what to do. */
export function badFile(detail: string, cause?: unknown): Refusal {
  return new Refusal("bad-file", detail, { errors: [{ pointer: "", detail }], cause });
}

/** The first line of what a library complained of. */
export function complaint(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).split("\n")[0]!;
}
