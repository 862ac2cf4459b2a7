// Limits for pages and iframes in tests of hosts. All differ, so that a test can end the wait for one of them (held-clock.ts).

/** How a page is probed. */
export const probe = { intervalMs: 5_100, limitMs: 2_100 };

/** Limits for iframes: little memory and few documents. */
export const frames = {
  loadMs: 20_200,
  partsMs: 3_200,
  blankMs: 5_200,
  probe: { intervalMs: 5_300, limitMs: 2_300 },
  endMs: 2_400,
  memoryBytes: 100 * 1024 * 1024,
  documents: 8,
};

/** Limits of the hosts themselves: for a picture, and for a page to say that it is alive. */
export const capture = { pictureMs: 4_000, aliveMs: 500 };

/** Limit of a call of the browser that has none of its own. */
export const callMs = 5_000;
