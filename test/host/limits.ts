// Limits for pages and iframes in tests of hosts.

/** Short enough for tests, long enough for a busy machine. */
export const probe = { intervalMs: 200, limitMs: 1_500 };

/** Limits for iframes: short times, and little memory. */
export const frames = {
  loadMs: 8_000,
  partsMs: 1_000,
  blankMs: 5_000,
  probe: { intervalMs: 300, limitMs: 1_500 },
  memoryBytes: 100 * 1024 * 1024,
  // A page that keeps replacing itself reaches this number long before `loadMs`, even on a busy machine.
  documents: 8,
};
