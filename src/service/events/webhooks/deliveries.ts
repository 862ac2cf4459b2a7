// Creates the deliveries of events to webhooks, repeats them on request and deletes them after a month.
import type { Signal } from "../../../base/async/signal.ts";
import type { Clock } from "../../../base/clock.ts";
import { dayMs } from "../../../base/time.ts";
import type { Event, EventType } from "../../../protocol/operator/events.ts";
import { eventFromRow } from "../event-journal.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Db } from "../../store/store.ts";
import type { DeliveryRow, WebhookRow } from "../../store/tables/events.ts";
import { cancelPending } from "./delivery-attempts.ts";
import { clearedHealth, isLongUnreachable, maxPending } from "./health.ts";

const retentionMs = 30 * dayMs;

export class Deliveries {
  readonly #clock: Clock;
  readonly #makeId: MakeId;
  /** Signals of callers that wait for the result of an attempt, by delivery. */
  readonly #waiting = new Map<string, Set<Signal>>();
  /** The transactions that have created or repeated deliveries. */
  readonly #queuedIn = new WeakSet<Db>();

  constructor(clock: Clock, makeId: MakeId) {
    this.#clock = clock;
    this.#makeId = makeId;
  }

  /** Creates deliveries to all enabled webhooks that subscribe to the events, in the transaction that appends the events. */
  async addForEvents(db: Db, teamId: string, events: readonly Event[]): Promise<void> {
    const webhooks = await db
      .selectFrom("webhooks")
      .select(["id", "events", "failing_since", "backlog_full_since"])
      .where("team_id", "=", teamId)
      .where("status", "=", "enabled")
      .execute();
    for (const webhook of webhooks) {
      const subscribed = events.filter(subscribedBy(webhook));
      if (subscribed.length === 0) continue;
      // Only the backlog of a receiver that has failed for long is limited: a burst of events is no failure.
      const room = isLongUnreachable(webhook, Math.trunc(this.#clock.now())) ? await backlogRoom(db, webhook.id) : Infinity;
      for (const event of subscribed.slice(0, room)) await this.add(db, teamId, webhook.id, event);
      if (subscribed.length <= room || webhook.backlog_full_since !== null) continue;
      await db.updateTable("webhooks").set({ backlog_full_since: this.#now() }).where("id", "=", webhook.id).execute();
    }
  }

  /** Creates one delivery, whether or not the webhook subscribes to the event's type. */
  async add(db: Db, teamId: string, webhookId: string, event: Event): Promise<DeliveryRow> {
    const now = this.#now();
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
    this.#queuedIn.add(db);
    return row;
  }

  /** Notifies `signal` after each attempt of a delivery, until `end` aborts. */
  notifyOnAttempts(deliveryId: string, signal: Signal, end: AbortSignal): void {
    const signals = this.#waiting.get(deliveryId) ?? new Set();
    this.#waiting.set(deliveryId, signals.add(signal));
    end.addEventListener("abort", () => {
      signals.delete(signal);
      if (signals.size === 0 && this.#waiting.get(deliveryId) === signals) this.#waiting.delete(deliveryId);
    });
  }

  /** Says that an attempt of a delivery was recorded. */
  notifyAttempt(deliveryId: string): void {
    for (const signal of this.#waiting.get(deliveryId) ?? []) signal.notify();
  }

  /** Cancels the pending deliveries of a webhook. */
  async cancelAll(db: Db, webhookId: string): Promise<void> {
    await cancelPending(db, this.#now(), webhookId);
  }

  /**
   * Repeats deliveries, starting again with the first attempt, with the same event ids.
   * @param which one delivery, or all failed and cancelled ones since an instant (ms since the epoch)
   * @returns how many.
   */
  async replay(db: Db, webhookId: string, which: { id: string } | { failedSince: number }): Promise<number> {
    const now = this.#now();
    const all = db
      .updateTable("webhook_deliveries")
      .set({ status: "pending", attempts: 0, next_at: now, updated_at: now })
      .where("webhook_id", "=", webhookId)
      .where("status", "!=", "pending");
    const selected =
      "id" in which
        ? all.where("id", "=", which.id)
        : all.where("status", "in", ["failed", "cancelled"]).where("created_at", ">=", which.failedSince);
    this.#queuedIn.add(db);
    return (await selected.returning("id").execute()).length;
  }

  /** True if a transaction has created or repeated deliveries. */
  hasQueuedIn(db: Db): boolean {
    return this.#queuedIn.has(db);
  }

  /**
   * Creates the deliveries that are missing since an instant (ms since the epoch) because the webhook was paused or disabled or its
   * backlog was full. Takes the oldest events first, as many as the backlog has room for.
   * @returns how many.
   */
  async addMissed(db: Db, webhook: WebhookRow, since: number): Promise<number> {
    const room = await backlogRoom(db, webhook.id);
    const types = JSON.parse(webhook.events) as string[];
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
    const ofTypes = types.includes("*") ? all : all.where("type", "in", types);
    const rows = await ofTypes
      .orderBy("seq")
      .limit(room + 1)
      .execute();
    const missed = rows.map(eventFromRow).filter(subscribedBy(webhook));
    for (const event of missed.slice(0, room)) await this.add(db, webhook.team_id, webhook.id, event);
    const { backlog_full_since } = missed.length > room ? webhook : clearedHealth;
    await db.updateTable("webhooks").set({ backlog_full_since }).where("id", "=", webhook.id).execute();
    return Math.min(missed.length, room);
  }

  /** Deletes deliveries older than a month that are not pending. */
  async trim(db: Db): Promise<void> {
    const before = this.#now() - retentionMs;
    const old = db.selectFrom("webhook_deliveries").select("id").where("created_at", "<", before).where("status", "!=", "pending");
    await db.deleteFrom("webhook_attempts").where("delivery_id", "in", old).execute();
    await db.deleteFrom("webhook_deliveries").where("created_at", "<", before).where("status", "!=", "pending").execute();
    await db
      .deleteFrom("webhook_messages")
      .where("created_at", "<", before)
      .where("event_id", "not in", db.selectFrom("webhook_deliveries").select("event_id"))
      .execute();
  }

  #now(): number {
    return Math.trunc(this.#clock.now());
  }
}

/** How many more deliveries may be pending for a webhook. The limit keeps a dead receiver from filling the disk. */
async function backlogRoom(db: Db, webhookId: string): Promise<number> {
  const { count } = await db
    .selectFrom("webhook_deliveries")
    .select((row) => row.fn.countAll<number>().as("count"))
    .where("webhook_id", "=", webhookId)
    .where("status", "=", "pending")
    .executeTakeFirstOrThrow();
  return Math.max(0, maxPending - count);
}

/** Tests whether a webhook subscribes to an event. It never gets events about itself: while it fails, they would add to its backlog. */
function subscribedBy({ id, events }: Pick<WebhookRow, "id" | "events">): (event: Event) => boolean {
  const types = new Set(JSON.parse(events) as (EventType | "*")[]);
  const isAboutItself = ({ type, data }: Event) => type.startsWith("webhook.") && data["webhook_id"] === id;
  return (event) => (types.has("*") || types.has(event.type)) && !isAboutItself(event);
}

// Standard Webhooks advises bodies below 20 kB.
const maxBodyBytes = 20_000;

/** The body for an event. If the data is too large, it contains only the ids, by which the receiver can read the rest. */
export function webhookBody({ id, type, created_at, data }: Event): string {
  const body = JSON.stringify({ id, type, timestamp: created_at, data });
  if (Buffer.byteLength(body) <= maxBodyBytes) return body;
  const ids = Object.fromEntries(Object.entries(data).filter(([name]) => name === "id" || name.endsWith("_id")));
  return JSON.stringify({ id, type, timestamp: created_at, data: { ...ids, truncated: true } });
}
