// Parses a Range header with one byte range (RFC 9110, section 14).
import { ProblemError } from "../problem.ts";

/** The first and the last byte, both inclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * The requested range of a file of `size` bytes. Null means the whole file: no header, an unknown unit, several ranges, or an
 * `If-Range` with another ETag.
 * @throws ProblemError 416 when the range contains no byte of the file.
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
