// Checks the URL of a webhook when an operator sets it.
import type { Clock } from "../../../base/clock.ts";
import { isFault } from "../../../base/fault.ts";
import type { OutboundHttp } from "../../../base/http/outbound-http.ts";
import { invalidField } from "../../http/problem.ts";

// A request does not wait longer than this for the name server.
const lookupLimitMs = 5_000;

/**
 * Rejects a URL that the service would not call. Each delivery checks the address again when it connects.
 * @throws ProblemError 422.
 */
export async function checkWebhookUrl(
  { clock, webhookHttp }: { clock: Clock; webhookHttp: OutboundHttp },
  url: string,
  signal: AbortSignal,
): Promise<void> {
  const finished = new AbortController();
  const timeout = clock.wait(lookupLimitMs, AbortSignal.any([signal, finished.signal])).then(
    () => finished.abort(),
    () => undefined,
  );
  try {
    const checked = webhookHttp.checkUrl(url);
    // An https hostname is resolved only by each delivery: a rejection here would reveal which internal names exist.
    if (checked.protocol === "http:") await webhookHttp.checkAddresses(checked, AbortSignal.any([signal, finished.signal]));
  } catch (error) {
    if (isFault(error, "refused")) throw invalidField("/url", error.message);
    throw error;
  } finally {
    finished.abort();
    await timeout;
  }
}
