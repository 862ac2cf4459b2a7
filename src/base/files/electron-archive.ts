// Paths in Electron's archives. A packaged player runs from `app.asar`; unpacked files lie in `app.asar.unpacked` beside it.

/**
 * The URL from which a worker thread can import a file: the unpacked copy if `address` is inside an archive, else `address`.
 * Electron reads archives by patching Node's `fs`, and not every version of Electron does so in workers (electron#22446,
 * electron#40211). So `asarUnpack` in electron-builder.yml unpacks the modules that workers import and their dependencies.
 *
 * @param address a `file:` URL, as returned by `import.meta.resolve`.
 */
export function unpackedPath(address: string): string {
  return address.replace("/app.asar/", "/app.asar.unpacked/");
}
