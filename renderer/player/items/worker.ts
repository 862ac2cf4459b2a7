// Starts the page's workers, also where the page has an origin of its own: in the sandboxed frame of a preview.

/** The addresses at which a sandboxed page finds its workers, by the workers' own. */
const ownAddresses = new Map<string, string>();

/** Starts the worker whose script, built as one classic script, is at `url`. */
export function startWorker(url: string): Worker {
  return self.origin === "null" ? new Worker(ownAddressOf(url)) : new Worker(url, { type: "module" });
}

/**
 * A worker must come from the page's origin; the scripts that it loads need not. A sandboxed page shares its origin only with its blobs.
 * Not a module: for the imports of one, Chromium 156 matches 'self' of the page's policy with no address.
 */
function ownAddressOf(url: string): string {
  const existing = ownAddresses.get(url);
  if (existing !== undefined) return existing;
  const script = `importScripts(${JSON.stringify(new URL(url, location.href).href)});`;
  const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  ownAddresses.set(url, address);
  return address;
}
