// The byte range of a file that a request asks for (RFC 9110, section 14).
import { byteRangeOf, type ByteRange } from "../../../base/http/byte-range.ts";
import { ProblemError } from "../problem.ts";

/**
 * The requested range of a file of `size` bytes. Null means the whole file: no range that can be served, or an `If-Range` with
 * another ETag.
 * @throws ProblemError 416 when the range contains no byte of the file.
 */
export function rangeOf(header: string | undefined, ifRange: string | undefined, etag: string, size: number): ByteRange | null {
  if (ifRange !== undefined && ifRange !== etag) return null;
  const range = byteRangeOf(header, size);
  if (range !== "unsatisfiable") return range;
  const headers = { "Content-Range": `bytes */${size}` };
  throw new ProblemError("range-not-satisfiable", `The file has ${size} bytes`, { headers });
}
