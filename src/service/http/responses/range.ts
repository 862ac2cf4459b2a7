// One byte range of a file (RFC 9110, section 14).
import { ProblemError } from "../problem.ts";

/** First and last byte, both included. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * What a Range header asks of a file of `size` bytes; null means the whole: no header, a unit we do not know, several
 * ranges, or an `If-Range` that names other bytes.
 * @throws Refusal 416 when no byte of the file is in the range.
 */
export function rangeOf(header: string | undefined, ifRange: string | undefined, etag: string, size: number): ByteRange | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? "");
  if (match === null || (ifRange !== undefined && ifRange !== etag)) return null;
  const [, first, last] = match;
  if (first === "" && last === "") return null;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== "" && last !== "" && Number(last) < Number(first)) return null;
  if (start >= size || (first === "" && Number(last) === 0)) {
    const headers = { "Content-Range": `bytes */${size}` };
    throw new ProblemError("range-not-satisfiable", `The file has ${size} bytes`, { headers });
  }
  return { start, end };
}
