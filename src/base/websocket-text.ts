// Decodes the text of a WebSocket message.

/** Decodes the RawData of `ws` (a Buffer, several Buffers, or an ArrayBuffer) as UTF-8. */
export function messageText(raw: Buffer | ArrayBuffer | Buffer[]): string {
  if (Buffer.isBuffer(raw)) return raw.toString();
  return Buffer.concat(Array.isArray(raw) ? raw : [Buffer.from(raw)]).toString();
}
