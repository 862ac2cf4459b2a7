// How long the session of a browser lasts.

/** A person must sign in again after this time, whatever they do. */
export const longestSessionMs = 30 * 86_400_000;
/** A session ends when it has not been used for this time. */
export const idleMs = 7 * 86_400_000;
