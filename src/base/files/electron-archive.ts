// Knows Electron's archives: a packed player runs from `app.asar`, and what was kept out of it lies in `app.asar.unpacked` beside it.

/**
 * The address of a file that a worker thread may import: the copy outside the archive where `address` lies in one, else `address`.
 * Electron reads archives by patching Node's `fs`. Whether a worker's module loader sees that patch differs between its versions
 * (electron#22446, electron#40211), so `asarUnpack` in electron-builder.yml keeps out what workers import, with all that it imports.
 *
 * @param address a `file:` URL, as `import.meta.resolve` gives it.
 */
export function unpackedPath(address: string): string {
  return address.replace("/app.asar/", "/app.asar.unpacked/");
}
