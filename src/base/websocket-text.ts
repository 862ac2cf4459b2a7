// The text of a WebSocket message, whichever form the library hands it over in.

/** Joins what `ws` calls RawData (a Buffer, several, or an ArrayBuffer) into a string of UTF-8. */
export function messageText(raw: Buffer | ArrayBuffer | Buffer[]): string {
  if (Buffer.isBuffer(raw)) return raw.toString();
  return Buffer.concat(Array.isArray(raw) ? raw : [Buffer.from(raw)]).toString();
}
