// What the embedded service and the Electron program that forked it tell each other over Electron's parent port.
import { z } from "zod";

/** From the service: the address at which it listens. */
export const Listening = z.object({ listening: z.url({ protocol: /^https?$/ }) });

/** Tells the Electron program that forked this process where the service listens. Does nothing without such a parent. */
export function reportListening(url: string): void {
  process.parentPort?.postMessage({ listening: url } satisfies z.infer<typeof Listening>);
}
