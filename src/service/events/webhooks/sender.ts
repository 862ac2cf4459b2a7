// Sends due deliveries, a few at a time for each webhook, and records the attempts.
import { runAll } from "../../../base/async/run-all.ts";
import { Signal } from "../../../base/async/signal.ts";
import type { Clock } from "../../../base/clock.ts";
import { ignoreAbort, reasonOf } from "../../../base/fault.ts";
import type { OutboundHttp } from "../../../base/http/outbound-http.ts";
import type { Log } from "../../../base/log.ts";
import { hourMs, minuteMs } from "../../../base/time.ts";
import { outboundFailure } from "../../content/outbound-clients.ts";
import type { EventJournal } from "../event-journal.ts";
import type { Deliveries } from "./deliveries.ts";
import { recordAttempt, type DeliveryAttempt } from "./delivery-attempts.ts";
import { dueDeliveries, nextDueAt, type DueDelivery } from "./due-deliveries.ts";
import { markWarned, webhooksToWarn } from "./health.ts";
import { signingSecrets } from "./secrets.ts";
import { signatureHeaders } from "./signature.ts";
import type { Nodes } from "../../nodes/nodes.ts";
import { untilStored } from "../../nodes/wait-out.ts";
import { claimDue, giveBack } from "../../store/claims.ts";
import type { Store } from "../../store/store.ts";

export interface SenderDependencies {
  store: Store;
  nodes: Nodes;
  clock: Clock;
  log: Log;
  http: OutboundHttp;
  events: EventJournal;
  deliveries: Deliveries;
}

const attemptTimeoutMs = 15_000;
// Longer than an attempt takes.
const claimMs = minuteMs;
// After this time the sender looks for deliveries that another node has queued, or has claimed and not sent.
const lookAgainMs = 5_000;
const maxConcurrentPerWebhook = 4;
// Only the beginning of a response is kept.
const maxResponseBytes = 1_000;
const maxErrorLength = 500;
const trimMs = hourMs;
const warningCheckMs = minuteMs;

export class WebhookSender {
  readonly #dependencies: SenderDependencies;
  /** Notified when a delivery may be due. */
  readonly #work = new Signal();
  /** Ids of the deliveries that are being sent, by webhook. */
  readonly #sending = new Map<string, Set<string>>();
  readonly #inProgress = new Set<Promise<void>>();
  /** The results of all attempts since the start, counted. */
  readonly attempts = { delivered: 0, refused: 0, unreachable: 0 };

  constructor(dependencies: SenderDependencies) {
    this.#dependencies = dependencies;
    dependencies.store.onCommit((db) => {
      if (dependencies.deliveries.hasQueuedIn(db)) this.#work.notify();
    });
  }

  /** Sends until `signal` aborts; rejects with an AbortError once the attempts in progress have ended. */
  async run(signal: AbortSignal): Promise<never> {
    const { clock, nodes, store } = this.#dependencies;
    const longestMs = nodes.isShared ? lookAgainMs : Infinity;
    try {
      for (;;) {
        // One instant for both questions: whatever is not due at it is due after it.
        const now = Math.trunc(clock.now());
        for (const delivery of await this.#takeDue(now)) this.#startDelivery(delivery, signal);
        const next = await nextDueAt(store.db, now);
        await this.#work.wait(clock, Math.min(longestMs, next === null ? Infinity : Math.max(0, next - clock.now())), signal);
      }
    } finally {
      await Promise.all(this.#inProgress);
    }
  }

  /** Trims old deliveries and warns of webhooks that fail, until `signal` aborts; rejects with an AbortError then. */
  async upkeep(signal: AbortSignal): Promise<never> {
    const { clock, deliveries, events, store } = this.#dependencies;
    const trim = async (each: AbortSignal): Promise<never> => {
      for (;;) {
        await store.write((db) => deliveries.trim(db));
        await clock.wait(trimMs, each);
      }
    };
    const warn = async (each: AbortSignal): Promise<never> => {
      for (;;) {
        if ((await webhooksToWarn(store.db, Math.trunc(clock.now()))).length > 0) {
          await store.write(async (db) => events.append(db, await markWarned(db, Math.trunc(clock.now()))));
        }
        await clock.wait(warningCheckMs, each);
      }
    };
    return runAll([trim, warn], signal);
  }

  async #takeDue(now: number): Promise<DueDelivery[]> {
    const { nodes, store } = this.#dependencies;
    const due = await dueDeliveries(store.db, now, this.#sending, maxConcurrentPerWebhook);
    if (!nodes.isShared) return due;
    const rows = due.map(({ delivery }) => delivery);
    const claimed = new Set((await claimDue(store, "webhook_deliveries", rows, { now, claimMs })).map(({ id }) => id));
    return due.filter(({ delivery }) => claimed.has(delivery.id));
  }

  #startDelivery(due: DueDelivery, signal: AbortSignal): void {
    const { delivery, webhook } = due;
    const ids = this.#sending.get(webhook.id) ?? new Set();
    this.#sending.set(webhook.id, ids.add(delivery.id));
    const work = this.#deliver(due, signal)
      .catch(async (error: unknown) => {
        const { clock, log } = this.#dependencies;
        if (signal.aborted) return;
        log.error({ err: error, delivery_id: delivery.id }, "a webhook attempt could not be recorded");
        // Or it would be sent again at once, and again.
        await clock.wait(claimMs, signal).catch(ignoreAbort);
      })
      .finally(() => {
        ids.delete(delivery.id);
        if (ids.size === 0) this.#sending.delete(webhook.id);
        this.#inProgress.delete(work);
        this.#work.notify();
      });
    this.#inProgress.add(work);
  }

  async #deliver(due: DueDelivery, signal: AbortSignal): Promise<void> {
    const { clock, deliveries, events, log, nodes, store } = this.#dependencies;
    const attempt = await this.#attempt(due, signal);
    if (attempt === null) {
      // The service is stopping: the delivery stays pending and is sent again, with the same id.
      if (nodes.isShared) await store.write((db) => giveBack(db, "webhook_deliveries", due.delivery.id, Math.trunc(clock.now())));
      return;
    }
    this.attempts[attempt.status === null ? "unreachable" : attempt.error === null ? "delivered" : "refused"] += 1;
    // It was sent: until that is stored, nothing sends it again.
    await untilStored({ clock, log }, signal, () =>
      store.write(async (db) => events.append(db, await recordAttempt(db, Math.trunc(clock.now()), due, attempt))),
    );
    deliveries.notifyAttempt(due.delivery.id);
    const details = { webhook_id: due.webhook.id, event_id: due.delivery.event_id, status: attempt.status, reason: attempt.error };
    log.debug(details, "webhook attempt");
  }

  /** Null: `signal` aborted. */
  async #attempt({ delivery, webhook, body }: DueDelivery, signal: AbortSignal): Promise<DeliveryAttempt | null> {
    const { clock, http, log } = this.#dependencies;
    const at = Math.trunc(clock.now());
    const startedAt = clock.monotonic();
    const done = new AbortController();
    const timeout = clock.wait(attemptTimeoutMs, AbortSignal.any([signal, done.signal])).then(
      () => done.abort(new Error(`no complete response within ${attemptTimeoutMs / 1_000} s`)),
      () => undefined,
    );
    const result = (status: number | null, rest: Partial<DeliveryAttempt>): DeliveryAttempt => ({
      at,
      durationMs: clock.monotonic() - startedAt,
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
      const either = AbortSignal.any([signal, done.signal]);
      const response = await http.request(webhook.url, { method: "POST", headers, body, signal: either });
      const text = await readStart(response.body);
      const { status } = response;
      return result(status, {
        body: text,
        error: errorOfStatus(status),
        retryAfterMs: parseRetryAfter(response.headers["retry-after"], at),
      });
    } catch (error) {
      if (signal.aborted) return null;
      const reason = done.signal.aborted ? reasonOf(done.signal.reason) : outboundFailure(error);
      log.debug({ webhook_id: webhook.id, reason: reasonOf(error) }, "a webhook could not be called");
      return result(null, { error: reason.slice(0, maxErrorLength) });
    } finally {
      done.abort();
      await timeout;
    }
  }
}

function errorOfStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return "the receiver responded with a redirect: give the final URL";
  return `the receiver responded with status ${status}`;
}

/** The first bytes of a response. Does not wait for the rest. */
async function readStart(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Leaving the loop destroys the stream, which ends an endless response.
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= maxResponseBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxResponseBytes).toString("utf8").replaceAll("\0", "");
}

/** `Retry-After` in ms: seconds or a date (RFC 9110, section 10.2.3). */
function parseRetryAfter(header: string | string[] | undefined, now: number): number | null {
  if (typeof header !== "string") return null;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isFinite(ms) && ms > 0 ? ms : null;
}
