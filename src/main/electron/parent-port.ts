// The message from the embedded service to the Electron program that forked it.
import { z } from "zod";

/** The address at which the service listens. */
export const Listening = z.object({ listening: z.url({ protocol: /^https?$/ }) });

/** Reports the service's address to the Electron program that forked this process, if there is one. */
export function reportListening(url: string): void {
  process.parentPort?.postMessage({ listening: url } satisfies z.infer<typeof Listening>);
}
