// The sign of life that Electron's main process sends to the program that started it.
import { z } from "zod";
import { createSystemClock, type Clock } from "../../base/clock.ts";
import { isAbort } from "../../base/fault.ts";

/** The message. It is sent by the browser's main thread, so it stops when the browser hangs. */
export const KeepAlive = z.object({ alive: z.literal(true) });
type Alive = z.infer<typeof KeepAlive>;

/** How often it is sent, in ms. */
export const keepAliveIntervalMs = 2_000;

/**
 * Sends the sign of life over the process channel, at once and then every two seconds, until `signal` aborts or the
 * channel closes. Does nothing in a process that has no channel, such as a packaged player that a person started.
 */
export function startKeepAlive(signal: AbortSignal, clock: Clock = createSystemClock()): void {
  void sendBeats(signal, clock).catch((error: unknown) => {
    if (!isAbort(error)) throw error;
  });
}

async function sendBeats(signal: AbortSignal, clock: Clock): Promise<void> {
  const message: Alive = { alive: true };
  while (process.send !== undefined && process.connected && !signal.aborted) {
    // A channel that closes meanwhile is told by the process's event "disconnect".
    process.send(message, undefined, undefined, () => undefined);
    await clock.wait(keepAliveIntervalMs, signal);
  }
}
