// Parses a Range header with one byte range (RFC 9110, section 14).

/** The first and the last byte, both inclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * The requested range of `size` bytes. Null means the whole content: no header, another unit, several ranges, or a range that ends
 * before it starts. `unsatisfiable`: the range contains no byte of the content.
 */
export function byteRangeOf(header: string | undefined, size: number): ByteRange | "unsatisfiable" | null {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? "") ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return null;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return null;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  return start >= size ? "unsatisfiable" : { start, end };
}
