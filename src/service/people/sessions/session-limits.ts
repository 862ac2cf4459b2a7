// How long the session of a browser lasts.
import { dayMs } from "../../../base/time.ts";

/** A person must sign in again after this time, whatever they do. */
export const longestSessionMs = 30 * dayMs;
/** A session ends when it has not been used for this time. */
export const idleMs = 7 * dayMs;
