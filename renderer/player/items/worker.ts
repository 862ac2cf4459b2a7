// Starts the page's workers, also where the page has an origin of its own: in the sandboxed frame of a preview.

/** The addresses at which a sandboxed page finds its workers, by the workers' own. */
const ownAddresses = new Map<string, string>();

/** Starts the worker whose script is at `url`. */
export function startWorker(url: string): Worker {
  return new Worker(self.origin === "null" ? ownAddressOf(url) : url, { type: "module" });
}

/** A worker's script must have the page's origin, and what it imports need not. A sandboxed page shares its origin only with its blobs. */
function ownAddressOf(url: string): string {
  const known = ownAddresses.get(url);
  if (known !== undefined) return known;
  const script = `import ${JSON.stringify(new URL(url, location.href).href)};`;
  const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  ownAddresses.set(url, address);
  return address;
}
