// The keep-alive messages that Electron's main process sends to its supervisor.
import { z } from "zod";
import { createSystemClock, type Clock } from "../../base/clock.ts";
import { isAbort } from "../../base/fault.ts";

/** The message. The browser's main thread sends it, so the messages stop when the browser hangs. */
export const KeepAlive = z.object({ alive: z.literal(true) });
type KeepAliveMessage = z.infer<typeof KeepAlive>;

/** The interval of the messages, in ms. */
export const keepAliveIntervalMs = 2_000;

/**
 * Sends a keep-alive message over the process's IPC channel, immediately and then every two seconds, until `signal` aborts or
 * the channel closes. Does nothing without a channel, as in a packaged player that a person started.
 */
export function startKeepAlive(signal: AbortSignal, clock: Clock = createSystemClock()): void {
  void sendKeepAlives(signal, clock).catch((error: unknown) => {
    if (!isAbort(error)) throw error;
  });
}

async function sendKeepAlives(signal: AbortSignal, clock: Clock): Promise<void> {
  const message: KeepAliveMessage = { alive: true };
  while (process.send !== undefined && process.connected && !signal.aborted) {
    // A closed channel is handled by the process's event "disconnect".
    process.send(message, undefined, undefined, () => undefined);
    await clock.wait(keepAliveIntervalMs, signal);
  }
}
