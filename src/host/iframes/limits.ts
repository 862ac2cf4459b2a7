// Time and memory limits for iframes of other sites.

/** Limits for one iframe. */
export interface IframeLimits {
  /** From the first request to a painted document. */
  loadMs: number;
  /** From the first paint until the document counts as shown although parts of it, such as a camera's endless picture, still load. */
  partsMs: number;
  /** From the load event until a document that has painted nothing counts as blank. */
  blankMs: number;
  /** How often the iframe's process is probed, and how long it may take to respond. Two missed probes count as a hang. */
  probe: { intervalMs: number; limitMs: number };
  /** Script heap and buffers of the process; above this the process is ended. */
  memoryBytes: number;
  /** How long to wait for the end of a process after the command to end: it comes within milliseconds. */
  endMs: number;
  /** Documents within `loadMs`, so that a page that keeps replacing itself is rejected. */
  documents: number;
}

export const defaultLimits: IframeLimits = {
  loadMs: 20_000,
  partsMs: 3_000,
  blankMs: 5_000,
  probe: { intervalMs: 5_000, limitMs: 2_000 },
  memoryBytes: 768 * 1024 * 1024,
  endMs: 2_000,
  documents: 20,
};
