// The deliveries that events bring about: made with the event, claimed when due, kept for a month.
import type { Clock } from "../../../base/clock.ts";
import type { Event, EventType } from "../../../protocol/operator/events.ts";
import { eventFromRow, type NewEvent } from "../event-journal.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Db } from "../../store/store.ts";
import type { DeliveryRow, WebhookRow } from "../../store/event-tables.ts";
import { clearedHealth, healthAfterAttempt, isLongUnreachable, maxPending, warnAfterMs, warningEvent } from "./health.ts";

/** What came of one attempt. */
export interface DeliveryAttempt {
  /** ms since the epoch. */
  at: number;
  durationMs: number;
  status: number | null;
  body: string | null;
  error: string | null;
  /** How long the receiver asked to be left alone, ms; null when it did not. */
  retryAfterMs: number | null;
}

/** A delivery that is due, with all that is needed to send it. */
export interface DueDelivery {
  delivery: DeliveryRow;
  webhook: WebhookRow;
  body: string;
}

const minute = 60_000;
const hour = 60 * minute;
// Ten attempts over 75 hours (Standard Webhooks 1.0, "Deliverability and reliability").
const delaysMs = [0, 5_000, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];
const jitter = 0.1;
const longestRetryAfterMs = 24 * hour;
const keptMs = 30 * 24 * hour;
// Standard Webhooks advises bodies below 20 kB.
const maxBodyBytes = 20_000;

/** The body of an event's message. What is too large is left out: the receiver reads it by its id. */
export function webhookBody({ id, type, created_at, data }: Event): string {
  const body = JSON.stringify({ id, type, timestamp: created_at, data });
  if (Buffer.byteLength(body) <= maxBodyBytes) return body;
  const ids = Object.fromEntries(Object.entries(data).filter(([name]) => name === "id" || name.endsWith("_id")));
  return JSON.stringify({ id, type, timestamp: created_at, data: { ...ids, truncated: true } });
}

export class Deliveries {
  readonly #clock: Clock;
  readonly #makeId: MakeId;

  constructor(clock: Clock, makeId: MakeId) {
    this.#clock = clock;
    this.#makeId = makeId;
  }

  /** Makes deliveries to every enabled webhook that wants the events, in the transaction that writes them. */
  async addForEvents(db: Db, teamId: string, events: readonly Event[]): Promise<void> {
    const webhooks = await db
      .selectFrom("webhooks")
      .select(["id", "events", "failing_since", "backlog_full_since"])
      .where("team_id", "=", teamId)
      .where("status", "=", "enabled")
      .execute();
    for (const webhook of webhooks) {
      const wanted = events.filter(wantedBy(webhook));
      if (wanted.length === 0) continue;
      // A burst of events is no failure: only for a receiver that has been gone for long not all is kept.
      const room = isLongUnreachable(webhook, this.#clock.now()) ? await this.#roomFor(db, webhook.id) : Infinity;
      for (const event of wanted.slice(0, room)) await this.add(db, teamId, webhook.id, event);
      if (wanted.length <= room || webhook.backlog_full_since !== null) continue;
      const backlog_full_since = Math.trunc(this.#clock.now());
      await db.updateTable("webhooks").set({ backlog_full_since }).where("id", "=", webhook.id).execute();
    }
  }

  /** How many more deliveries may wait for a webhook that takes nothing, which must not fill the disk. */
  async #roomFor(db: Db, webhookId: string): Promise<number> {
    const { count } = await db
      .selectFrom("webhook_deliveries")
      .select((row) => row.fn.countAll<number>().as("count"))
      .where("webhook_id", "=", webhookId)
      .where("status", "=", "pending")
      .executeTakeFirstOrThrow();
    return Math.max(0, maxPending - count);
  }

  /** Makes one delivery, whether or not the webhook wants the type. */
  async add(db: Db, teamId: string, webhookId: string, event: Event): Promise<DeliveryRow> {
    const now = Math.trunc(this.#clock.now());
    await db
      .insertInto("webhook_messages")
      .values({ event_id: event.id, team_id: teamId, type: event.type, body: webhookBody(event), created_at: now })
      .onConflict((conflict) => conflict.column("event_id").doNothing())
      .execute();
    const row: DeliveryRow = {
      id: this.#makeId("dlv"),
      team_id: teamId,
      webhook_id: webhookId,
      event_id: event.id,
      type: event.type,
      status: "pending",
      attempts: 0,
      next_at: now,
      last_status: null,
      last_error: null,
      created_at: now,
      updated_at: now,
    };
    await db.insertInto("webhook_deliveries").values(row).execute();
    return row;
  }

  /**
   * What is due now and not in `sending`, at most `each` for a webhook: a dead one with thousands waiting takes no more
   * than its share. Rows stay pending while they are sent, so that a crash sends them again, under the same id.
   */
  async due(db: Db, sending: ReadonlyMap<string, ReadonlySet<string>>, each: number): Promise<DueDelivery[]> {
    const now = this.#clock.now();
    const waiting = await db
      .selectFrom("webhooks")
      .selectAll()
      .where("status", "=", "enabled")
      .where((row) =>
        row.exists(
          row
            .selectFrom("webhook_deliveries")
            .select("webhook_deliveries.id")
            .whereRef("webhook_deliveries.webhook_id", "=", "webhooks.id")
            .where("webhook_deliveries.status", "=", "pending")
            .where("webhook_deliveries.next_at", "<=", now),
        ),
      )
      .execute();
    const due: DueDelivery[] = [];
    for (const webhook of waiting) {
      const underWay = sending.get(webhook.id) ?? new Set();
      const free = each - underWay.size;
      if (free <= 0) continue;
      const rows = await db
        .selectFrom("webhook_deliveries")
        .innerJoin("webhook_messages", "webhook_messages.event_id", "webhook_deliveries.event_id")
        .selectAll("webhook_deliveries")
        .select("webhook_messages.body")
        .where("webhook_id", "=", webhook.id)
        .where("status", "=", "pending")
        .where("next_at", "<=", now)
        .orderBy("next_at")
        .orderBy("webhook_deliveries.id")
        .limit(each)
        .execute();
      const fresh = rows.filter(({ id }) => !underWay.has(id)).slice(0, free);
      due.push(...fresh.map(({ body, ...delivery }) => ({ delivery, webhook, body })));
    }
    return due;
  }

  /** When the next delivery is due, ms since the epoch; null when none waits. Those in `sending` do not count. */
  async nextAt(db: Db): Promise<number | null> {
    const row = await db
      .selectFrom("webhook_deliveries")
      .innerJoin("webhooks", "webhooks.id", "webhook_deliveries.webhook_id")
      .select((each) => each.fn.min<number | null>("next_at").as("next_at"))
      .where("webhook_deliveries.status", "=", "pending")
      .where("webhooks.status", "=", "enabled")
      .where("next_at", ">", this.#clock.now())
      .executeTakeFirst();
    return row?.next_at ?? null;
  }

  /** Writes down what came of an attempt, and when the next is due. @returns what is to be told of the webhook. */
  async recordAttempt(db: Db, { delivery, webhook: asSent }: DueDelivery, attempt: DeliveryAttempt): Promise<NewEvent[]> {
    const now = Math.trunc(this.#clock.now());
    const number = delivery.attempts + 1;
    const webhook = await db.selectFrom("webhooks").selectAll().where("id", "=", asSent.id).executeTakeFirst();
    // Deleted meanwhile, with all its deliveries.
    if (webhook === undefined) return [];
    await db
      .insertInto("webhook_attempts")
      .values({
        delivery_id: delivery.id,
        number,
        at: Math.trunc(attempt.at),
        duration_ms: Math.round(attempt.durationMs),
        status: attempt.status,
        body: attempt.body,
        error: attempt.error,
      })
      .execute();
    const isDone = attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
    const isGone = attempt.status === 410;
    const isLast = number >= delaysMs.length;
    const delayMs = (delaysMs[number] ?? 0) * (1 + jitter * Math.random());
    const askedMs = Math.min(attempt.retryAfterMs ?? 0, longestRetryAfterMs);
    await db
      .updateTable("webhook_deliveries")
      .set({
        status: isDone ? "delivered" : isGone || isLast ? "failed" : "pending",
        attempts: number,
        next_at: isDone || isGone || isLast ? null : now + Math.round(Math.max(delayMs, askedMs)),
        last_status: attempt.status,
        last_error: attempt.error,
        updated_at: now,
      })
      .where("id", "=", delivery.id)
      .where("status", "=", "pending")
      .execute();
    // Sent to another address than it has now: that says nothing of this one.
    if (webhook.url !== asSent.url) return [];
    const is = isDone ? "delivered" : isGone ? "gone" : "failed";
    const { change, events } = healthAfterAttempt(webhook, { is, number, error: attempt.error, at: attempt.at }, now);
    await db.updateTable("webhooks").set(change).where("id", "=", webhook.id).execute();
    if (change.status !== undefined) await this.cancelAll(db, webhook.id);
    return events;
  }

  /** The enabled webhooks that have failed for long enough, and whose owner was not told. */
  webhooksToWarn(db: Db): Promise<WebhookRow[]> {
    const before = Math.trunc(this.#clock.now()) - warnAfterMs;
    const late = db.selectFrom("webhooks").selectAll().where("failing_since", "<=", before).where("warned_at", "is", null);
    return late.where("status", "=", "enabled").execute();
  }

  /** Notes that owners are told now. @returns what is to be told. */
  async markWarned(db: Db): Promise<NewEvent[]> {
    const late = await this.webhooksToWarn(db);
    const warned_at = Math.trunc(this.#clock.now());
    for (const { id } of late) await db.updateTable("webhooks").set({ warned_at }).where("id", "=", id).execute();
    return late.map(warningEvent);
  }

  /** Calls off what waits for a webhook. */
  async cancelAll(db: Db, webhookId: string): Promise<void> {
    await db
      .updateTable("webhook_deliveries")
      .set({ status: "cancelled", next_at: null, updated_at: Math.trunc(this.#clock.now()) })
      .where("webhook_id", "=", webhookId)
      .where("status", "=", "pending")
      .execute();
  }

  /** Sends deliveries again, from the first attempt on, under the same event ids. @returns how many. */
  async replay(db: Db, webhookId: string, which: { id: string } | { failedSince: number }): Promise<number> {
    const now = Math.trunc(this.#clock.now());
    const all = db
      .updateTable("webhook_deliveries")
      .set({ status: "pending", attempts: 0, next_at: now, updated_at: now })
      .where("webhook_id", "=", webhookId)
      .where("status", "!=", "pending");
    const some =
      "id" in which
        ? all.where("id", "=", which.id)
        : all.where("status", "in", ["failed", "cancelled"]).where("created_at", ">=", which.failedSince);
    return (await some.returning("id").execute()).length;
  }

  /**
   * Makes deliveries of the journal's events since an instant (ms since the epoch) that a webhook wants and that were never
   * made for it: it was paused or disabled, or too many waited. As many as there is room for, the oldest first.
   * @returns how many.
   */
  async addMissed(db: Db, webhook: WebhookRow, since: number): Promise<number> {
    const room = await this.#roomFor(db, webhook.id);
    const wanted = JSON.parse(webhook.events) as string[];
    const all = db
      .selectFrom("events")
      .selectAll()
      .where("team_id", "=", webhook.team_id)
      .where("created_at", ">=", since)
      .where((row) =>
        row.not(
          row.exists(
            row
              .selectFrom("webhook_deliveries")
              .select("webhook_deliveries.id")
              .whereRef("webhook_deliveries.event_id", "=", "events.id")
              .where("webhook_deliveries.webhook_id", "=", webhook.id),
          ),
        ),
      );
    const some = wanted.includes("*") ? all : all.where("type", "in", wanted);
    const rows = await some
      .orderBy("seq")
      .limit(room + 1)
      .execute();
    const missed = rows.map(eventFromRow).filter(wantedBy(webhook));
    for (const event of missed.slice(0, room)) await this.add(db, webhook.team_id, webhook.id, event);
    const { backlog_full_since } = missed.length > room ? webhook : clearedHealth;
    await db.updateTable("webhooks").set({ backlog_full_since }).where("id", "=", webhook.id).execute();
    return Math.min(missed.length, room);
  }

  /** Drops what is older than a month and no longer on its way. */
  async trim(db: Db): Promise<void> {
    const before = Math.trunc(this.#clock.now()) - keptMs;
    const old = db.selectFrom("webhook_deliveries").select("id").where("created_at", "<", before).where("status", "!=", "pending");
    await db.deleteFrom("webhook_attempts").where("delivery_id", "in", old).execute();
    await db.deleteFrom("webhook_deliveries").where("created_at", "<", before).where("status", "!=", "pending").execute();
    await db
      .deleteFrom("webhook_messages")
      .where("created_at", "<", before)
      .where("event_id", "not in", db.selectFrom("webhook_deliveries").select("event_id"))
      .execute();
  }
}

/** Whether a webhook wants an event. How it fares itself is not told to it: it could not hear it, and it would add to the pile. */
function wantedBy({ id, events }: Pick<WebhookRow, "id" | "events">): (event: Event) => boolean {
  const types = new Set(JSON.parse(events) as (EventType | "*")[]);
  const isOfItself = ({ type, data }: Event) => type.startsWith("webhook.") && data["webhook_id"] === id;
  return (event) => (types.has("*") || types.has(event.type)) && !isOfItself(event);
}
