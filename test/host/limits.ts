// How long the hosts under test wait for pages and frames.

/** Quick enough for a test, slow enough for two busy cores under load. */
export const probe = { intervalMs: 200, limitMs: 1_500 };

/** The same for frames: a page that never loads is given up soon, and a little memory is too much. */
export const frames = {
  loadMs: 8_000,
  partsMs: 1_000,
  blankMs: 2_000,
  probe: { intervalMs: 300, limitMs: 1_500 },
  memoryBytes: 100 * 1024 * 1024,
};
