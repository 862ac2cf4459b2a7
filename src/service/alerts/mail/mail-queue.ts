// The mails of each team: durable until they are sent or given up, and bounded.
import { hourMs, iso, minuteMs } from "../../../base/time.ts";
import type { MailStatus } from "../../../protocol/operator/alerts.ts";
import type { MailRow } from "../../store/tables/events.ts";
import type { SecretFor } from "../../people/mails/mailed-secrets.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Db } from "../../store/store.ts";
import type { MailText } from "./mail-text.ts";
import type { SendOutcome } from "./smtp.ts";

// Eleven attempts over a day.
const delaysMs = [10_000, 30_000, ...[2, 10, 30].map((minutes) => minutes * minuteMs), ...[1, 2, 4, 8, 8].map((hours) => hours * hourMs)];
const jitter = 0.1;
/** The most that wait for one team. */
const maxWaiting = 100;
const overflow = "Given up, because too many mails are waiting: check the mail server";

interface Queueing {
  makeId: MakeId;
  /** Ms since the epoch. */
  now: number;
}

// The transactions that have queued a mail.
const queuedIn = new WeakSet<Db>();

/** Queues a mail, in the transaction of its subject; it gets its secret when it is sent. If too many wait, the oldest is given up. */
export async function queueMail(
  db: Db,
  about: { teamId: string; recipients: readonly string[]; thread: string | null; secretFor?: SecretFor },
  { subject, text, html }: MailText,
  { makeId, now }: Queueing,
): Promise<string> {
  const waiting = await db
    .selectFrom("mails")
    .select("id")
    .where("team_id", "=", about.teamId)
    .where("status", "=", "pending")
    .orderBy("id")
    .execute();
  const tooMany = waiting.slice(0, Math.max(0, waiting.length + 1 - maxWaiting)).map(({ id }) => id);
  if (tooMany.length > 0) {
    const givenUp = { status: "failed" as const, next_at: null, last_error: overflow, updated_at: now };
    await db.updateTable("mails").set(givenUp).where("id", "in", tooMany).execute();
  }
  const id = makeId("mail");
  const row: MailRow = {
    id,
    team_id: about.teamId,
    created_at: now,
    recipients: JSON.stringify(about.recipients),
    subject,
    body: text,
    html,
    thread: about.thread,
    secret_for: about.secretFor === undefined ? null : JSON.stringify(about.secretFor),
    status: "pending",
    attempts: 0,
    next_at: now,
    last_error: null,
    updated_at: now,
  };
  await db.insertInto("mails").values(row).execute();
  queuedIn.add(db);
  return id;
}

/** True if a transaction has queued a mail. */
export function hasQueuedMailIn(db: Db): boolean {
  return queuedIn.has(db);
}

/** The mails that are due, the oldest first. */
export function dueMails(db: Db, now: number, limit: number): Promise<MailRow[]> {
  const due = db.selectFrom("mails").selectAll().where("status", "=", "pending").where("next_at", "<=", now);
  return due.orderBy("next_at").orderBy("id").limit(limit).execute();
}

/** When the next mail after `now` is due, ms since the epoch; null: none. */
export async function nextMailAt(db: Db, now: number): Promise<number | null> {
  const row = await db
    .selectFrom("mails")
    .select((each) => each.fn.min<number | null>("next_at").as("next_at"))
    .where("status", "=", "pending")
    .where("next_at", ">", now)
    .executeTakeFirst();
  return row?.next_at ?? null;
}

/** Records an attempt. @returns whether the mail was given up. */
export async function recordOutcome(db: Db, mail: MailRow, outcome: SendOutcome, now: number): Promise<boolean> {
  const attempts = mail.attempts + 1;
  const delayMs = delaysMs[attempts - 1];
  const isOver = outcome.is === "failed" || delayMs === undefined;
  const change: Partial<MailRow> =
    outcome.is === "sent"
      ? { status: "sent", next_at: null, last_error: outcome.refused }
      : {
          status: isOver ? "failed" : "pending",
          next_at: isOver ? null : Math.round(now + delayMs * (1 + jitter * Math.random())),
          last_error: outcome.error,
          recipients: JSON.stringify(outcome.recipients),
        };
  const row = db.updateTable("mails").set({ ...change, attempts, updated_at: now });
  await row.where("id", "=", mail.id).where("status", "=", "pending").execute();
  return change.status === "failed";
}

/** The recent success or failure of a team's mails. @param canMail true if the service has a mail server */
export async function mailStatus(db: Db, teamId: string, canMail: boolean): Promise<MailStatus> {
  const all = db.selectFrom("mails").where("team_id", "=", teamId);
  const newest = (status: MailRow["status"]) =>
    all.select(["updated_at", "last_error", "attempts"]).where("status", "=", status).orderBy("updated_at", "desc").limit(1);
  const sent = await newest("sent").executeTakeFirst();
  const failed = await newest("failed").executeTakeFirst();
  const retried = await newest("pending").where("attempts", ">", 0).executeTakeFirst();
  const { count } = await all
    .select((row) => row.fn.countAll<number>().as("count"))
    .where("status", "=", "pending")
    .executeTakeFirstOrThrow();
  const status = { waiting: count, last_sent_at: sent === undefined ? null : iso(sent.updated_at) };
  if (!canMail) return { is: "off", detail: "The service has no mail server: start it with --smtp-host and --smtp-from", ...status };
  if (retried !== undefined) return { is: "retrying", detail: `The mail is tried again by itself: ${retried.last_error ?? ""}`, ...status };
  if (failed !== undefined && failed.updated_at >= (sent?.updated_at ?? 0)) {
    return { is: "failed", detail: `A mail was given up: ${failed.last_error ?? ""}`, ...status };
  }
  if (sent === undefined) return { is: "ready", detail: null, ...status };
  return { is: "ok", detail: sent.last_error === null ? null : `Some recipients were refused: ${sent.last_error}`, ...status };
}
