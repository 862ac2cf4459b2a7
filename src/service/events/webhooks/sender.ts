// Sends the deliveries that are due, a few at a time for each webhook, and writes down what came of it.
import { Signal } from "../../../base/async/signal.ts";
import type { Clock } from "../../../base/clock.ts";
import { reasonOf } from "../../../base/fault.ts";
import type { Log } from "../../../base/log.ts";
import { runAll } from "../../../base/async/run-all.ts";
import type { OutboundHttp } from "../../../base/http/outbound-http.ts";
import { outboundFailure } from "../../content/outbound-clients.ts";
import type { EventJournal } from "../event-journal.ts";
import type { Store } from "../../store/store.ts";
import type { DeliveryAttempt, Deliveries, DueDelivery } from "./deliveries.ts";
import { signingSecrets } from "./secrets.ts";
import { signatureHeaders } from "./signature.ts";

export interface SenderDependencies {
  store: Store;
  clock: Clock;
  log: Log;
  http: OutboundHttp;
  events: EventJournal;
  deliveries: Deliveries;
}

const attemptLimitMs = 15_000;
const atOnceEach = 4;
// Of an answer only its beginning is kept.
const longestAnswerBytes = 1_000;
const trimMs = 3_600_000;
const watchMs = 60_000;

export class WebhookSender {
  readonly #parts: SenderDependencies;
  readonly #bell = new Signal();
  /** Deliveries under way, by webhook. */
  readonly #sending = new Map<string, Set<string>>();
  readonly #underWay = new Set<Promise<void>>();
  /** What came of the attempts since the start. */
  readonly attempts = { delivered: 0, refused: 0, unreachable: 0 };

  constructor(parts: SenderDependencies) {
    this.#parts = parts;
    parts.store.onCommit(() => this.#bell.notify());
  }

  /** Sends until `signal` aborts; rejects with an AbortError once what was under way has been given up. */
  async run(signal: AbortSignal): Promise<never> {
    const { clock, deliveries, events, store } = this.#parts;
    const send = async (each: AbortSignal): Promise<never> => {
      try {
        for (;;) {
          for (const due of await deliveries.due(store.db, this.#sending, atOnceEach)) this.#begin(due, each);
          const next = await deliveries.nextAt(store.db);
          await this.#bell.wait(clock, next === null ? Infinity : Math.max(0, next - clock.now()), each);
        }
      } finally {
        await Promise.all(this.#underWay);
      }
    };
    const trim = async (each: AbortSignal): Promise<never> => {
      for (;;) {
        await store.write((db) => deliveries.trim(db));
        await clock.wait(trimMs, each);
      }
    };
    const watch = async (each: AbortSignal): Promise<never> => {
      for (;;) {
        if ((await deliveries.webhooksToWarn(store.db)).length > 0) {
          await store.write(async (db) => events.append(db, await deliveries.markWarned(db)));
        }
        await clock.wait(watchMs, each);
      }
    };
    return runAll([send, trim, watch], signal);
  }

  #begin(due: DueDelivery, signal: AbortSignal): void {
    const { delivery, webhook } = due;
    const ids = this.#sending.get(webhook.id) ?? new Set();
    this.#sending.set(webhook.id, ids.add(delivery.id));
    const work = this.#deliver(due, signal)
      .catch((error: unknown) => this.#parts.log.error({ err: error, delivery_id: delivery.id }, "a delivery could not be written down"))
      .finally(() => {
        ids.delete(delivery.id);
        if (ids.size === 0) this.#sending.delete(webhook.id);
        this.#underWay.delete(work);
        this.#bell.notify();
      });
    this.#underWay.add(work);
  }

  async #deliver(due: DueDelivery, signal: AbortSignal): Promise<void> {
    const { deliveries, events, log, store } = this.#parts;
    const attempt = await this.#attempt(due, signal);
    // The service stops: the delivery stays pending and is sent again, under the same id.
    if (attempt === null) return;
    this.attempts[attempt.status === null ? "unreachable" : attempt.error === null ? "delivered" : "refused"] += 1;
    await store.write(async (db) => events.append(db, await deliveries.recordAttempt(db, due, attempt)));
    const about = { webhook_id: due.webhook.id, event_id: due.delivery.event_id, status: attempt.status, reason: attempt.error };
    log.debug(about, "webhook attempt");
  }

  async #attempt({ delivery, webhook, body }: DueDelivery, signal: AbortSignal): Promise<DeliveryAttempt | null> {
    const { clock, http } = this.#parts;
    const at = clock.now();
    const begun = clock.monotonic();
    const over = new AbortController();
    const late = clock.wait(attemptLimitMs, AbortSignal.any([signal, over.signal])).then(
      () => over.abort(new Error(`no whole answer within ${attemptLimitMs / 1_000} s`)),
      () => undefined,
    );
    const ended = (status: number | null, rest: Partial<DeliveryAttempt>): DeliveryAttempt => ({
      at,
      durationMs: clock.monotonic() - begun,
      status,
      body: null,
      error: null,
      retryAfterMs: null,
      ...rest,
    });
    try {
      const headers = {
        "content-type": "application/json",
        ...signatureHeaders(delivery.event_id, Math.trunc(at / 1_000), body, signingSecrets(webhook, at)),
      };
      const whole = AbortSignal.any([signal, over.signal]);
      const answer = await http.request(webhook.url, { method: "POST", headers, body, signal: whole });
      const text = await beginningOf(answer.body);
      const isRedirect = answer.status >= 300 && answer.status < 400;
      const isGood = answer.status >= 200 && answer.status < 300;
      const error = isGood ? null : isRedirect ? "it redirects: give the final address" : `it answered ${answer.status}`;
      return ended(answer.status, { body: text, error, retryAfterMs: retryAfterOf(answer.headers["retry-after"], at) });
    } catch (error) {
      if (signal.aborted) return null;
      const reason = over.signal.aborted ? reasonOf(over.signal.reason) : outboundFailure(error);
      this.#parts.log.debug({ webhook_id: webhook.id, reason: reasonOf(error) }, "a webhook could not be called");
      return ended(null, { error: reason.slice(0, 500) });
    } finally {
      over.abort();
      await late;
    }
  }
}

/** The beginning of an answer, the rest of which is not waited for. */
async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  // Leaving the loop destroys the stream: an endless answer is cut off.
  for await (const part of body) {
    parts.push(part);
    length += part.length;
    if (length >= longestAnswerBytes) break;
  }
  return Buffer.concat(parts).subarray(0, longestAnswerBytes).toString("utf8").replaceAll("\0", "");
}

/** `Retry-After` in ms: seconds or a date (RFC 9110, section 10.2.3). */
function retryAfterOf(header: string | string[] | undefined, now: number): number | null {
  if (typeof header !== "string") return null;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isFinite(ms) && ms > 0 ? ms : null;
}
