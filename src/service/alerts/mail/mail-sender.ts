// Sends the queued mails, a few at a time, and records the outcome of each.
import { Signal } from "../../../base/async/signal.ts";
import type { Clock } from "../../../base/clock.ts";
import { isFault } from "../../../base/fault.ts";
import type { Log } from "../../../base/log.ts";
import type { MailRow } from "../../store/tables/events.ts";
import { makeMailedSecret, SecretFor, secretPlace } from "../../people/mails/mailed-secrets.ts";
import type { Nodes } from "../../nodes/nodes.ts";
import { untilStored } from "../../nodes/wait-out.ts";
import { claimDue, giveBack } from "../../store/claims.ts";
import type { Store } from "../../store/store.ts";
import { dueMails, hasQueuedMailIn, nextMailAt, recordOutcome } from "./mail-queue.ts";
import { sendMail, type SmtpConfig } from "./smtp.ts";

export interface MailSenderDependencies {
  store: Store;
  nodes: Nodes;
  clock: Clock;
  log: Log;
  /** Null: no mails are sent. */
  smtp: SmtpConfig | null;
}

const maxConcurrent = 4;
// Longer than it takes to send a mail.
const claimMs = 300_000;
// After this time the sender looks for mails that another node has queued, or has claimed and not sent.
const lookAgainMs = 10_000;
const retryAfterFaultMs = 10_000;

export class MailSender {
  readonly #dependencies: MailSenderDependencies;
  /** Notified when a mail may be due. */
  readonly #work = new Signal();

  constructor(dependencies: MailSenderDependencies) {
    this.#dependencies = dependencies;
    dependencies.store.onCommit((db) => {
      if (hasQueuedMailIn(db)) this.#work.notify();
    });
  }

  /** Sends until `signal` aborts; rejects with an AbortError then. A mail that is being sent stays pending and is sent again. */
  async run(signal: AbortSignal): Promise<never> {
    const { clock, log, nodes, smtp, store } = this.#dependencies;
    const longestMs = nodes.isShared ? lookAgainMs : Infinity;
    for (;;) {
      let waitMs: number;
      try {
        // One instant for both questions: whatever is not due at it is due after it.
        const now = Math.trunc(clock.now());
        const due = smtp === null ? [] : await this.#takeDue(now);
        const sent = await Promise.allSettled(smtp === null ? [] : due.map((mail) => this.#send(smtp, mail, signal)));
        for (const result of sent) if (result.status === "rejected") throw result.reason;
        const next = smtp === null ? null : await nextMailAt(store.db, now);
        waitMs = due.length > 0 ? 0 : next === null ? Infinity : Math.max(0, next - clock.now());
      } catch (error) {
        signal.throwIfAborted();
        log.error({ err: error }, "mails cannot be read or stored");
        waitMs = retryAfterFaultMs;
      }
      await this.#work.wait(clock, Math.min(longestMs, waitMs), signal);
    }
  }

  async #takeDue(now: number): Promise<MailRow[]> {
    const { nodes, store } = this.#dependencies;
    const due = await dueMails(store.db, now, maxConcurrent);
    return nodes.isShared ? claimDue(store, "mails", due, { now, claimMs }) : due;
  }

  async #send(smtp: SmtpConfig, mail: MailRow, signal: AbortSignal): Promise<void> {
    const { clock, log, nodes, store } = this.#dependencies;
    const { id, subject, thread } = mail;
    const secret = await this.#secretOf(mail);
    if (secret === null) {
      await store.write((db) => db.deleteFrom("mails").where("id", "=", id).execute());
      return log.info({ mail_id: id, team_id: mail.team_id }, "a mail is not needed any more");
    }
    const recipients = JSON.parse(mail.recipients) as string[];
    const [text, html] = [mail.body, mail.html].map((each) => each.replaceAll(secretPlace, secret)) as [string, string];
    const sender = mail.secret_for === null ? "Signage alerts" : "Signage";
    const outcome = await sendMail(smtp, { id, sender, recipients, subject, text, html, thread }, signal).catch(async (error: unknown) => {
      if (nodes.isShared) await store.write((db) => giveBack(db, "mails", id, Math.trunc(clock.now())));
      throw error;
    });
    // It was sent: until that is stored, nothing sends it again.
    const isGivenUp = await untilStored({ clock, log }, signal, () =>
      store.write((db) => recordOutcome(db, mail, outcome, Math.trunc(clock.now()))),
    ).catch(async (error: unknown) => {
      // Each mail that is queued makes the sender look for mails that are due: without a pause each would send it again.
      if (isFault(error, "store-refused")) await clock.wait(claimMs, signal);
      throw error;
    });
    const about = { mail_id: id, team_id: mail.team_id, attempt: mail.attempts + 1 };
    if (isGivenUp) log.error({ ...about, reason: errorOf(outcome) }, "a mail was given up");
    else if (outcome.is === "sent") log.info(about, "mail sent");
    else log.warn({ ...about, reason: errorOf(outcome) }, "a mail could not be sent yet");
  }

  /** The secret that a mail gets, empty if it has none; null: nobody needs it any more. */
  async #secretOf({ secret_for }: MailRow): Promise<string | null> {
    if (secret_for === null) return "";
    const { clock, store } = this.#dependencies;
    const secretFor = SecretFor.parse(JSON.parse(secret_for));
    return store.write((db) => makeMailedSecret(db, secretFor, Math.trunc(clock.now())));
  }
}

function errorOf(outcome: Awaited<ReturnType<typeof sendMail>>): string | null {
  return outcome.is === "sent" ? outcome.refused : outcome.error;
}
