// Mails to people about themselves: invitations, and codes that prove an email.
import type { Clock } from "../../../base/clock.ts";
import { dayMs, hourMs } from "../../../base/time.ts";
import { queueMail } from "../../alerts/mail/mail-queue.ts";
import type { MailText } from "../../alerts/mail/mail-text.ts";
import { takeAll, type AttemptLimit, type MakeLimit } from "../../http/limits/attempt-limit.ts";
import { publicBase } from "../../http/public-url.ts";
import { tooManyRequests } from "../../http/limits/rate-limit.ts";
import type { MakeId } from "../../store/ids.ts";
import type { InvitationRow } from "../../store/tables/people.ts";
import type { Db } from "../../store/store.ts";
import { codeMail, invitationMail } from "./mail-texts.ts";
import type { SecretFor } from "./mailed-secrets.ts";
import { putEmailProof } from "../store/users.ts";

interface MailDependencies {
  clock: Clock;
  makeId: MakeId;
  makeLimit: MakeLimit;
  /** True if the service has a mail server. */
  hasServer: boolean;
  publicUrl: string | null;
}

// Whoever owns a team may have any address mailed to: neither a mailbox nor the mail server's name may suffer from it.
const maxInvitationsOfTeam = 100;
const maxInvitationsToAddress = 10;
const maxCodesOfPerson = 5;
const maxCodesToAddress = 20;
// Until the mail is sent, which the queue gives up after a day.
const proofMs = 2 * dayMs;

export class PeopleMails {
  readonly #dependencies: MailDependencies;
  readonly #ofTeam: AttemptLimit;
  readonly #toInvited: AttemptLimit;
  readonly #ofPerson: AttemptLimit;
  readonly #toPerson: AttemptLimit;

  constructor(dependencies: MailDependencies) {
    const { makeLimit } = dependencies;
    this.#dependencies = dependencies;
    this.#ofTeam = makeLimit("invitation-mail-team", maxInvitationsOfTeam, dayMs);
    this.#toInvited = makeLimit("invitation-mail-address", maxInvitationsToAddress, dayMs);
    this.#ofPerson = makeLimit("email-code-person", maxCodesOfPerson, hourMs);
    this.#toPerson = makeLimit("email-code-address", maxCodesToAddress, dayMs);
  }

  /**
   * True if people get mails. They have links, and a link may only begin with `--public-url`: the service's name in a request
   * (its Host header) would lead the mail's secret elsewhere.
   */
  get isOn(): boolean {
    return this.#dependencies.hasServer && this.#dependencies.publicUrl !== null;
  }

  /** Counts a mail to an invited person. @returns whether it may be sent: an invitation over the limit is passed on by its link */
  async mayInvite(teamId: string, email: string): Promise<boolean> {
    if (!this.isOn) return false;
    const limits = [[this.#ofTeam, teamId] as const, [this.#toInvited, email] as const];
    return (await takeAll(limits)).waitMs === 0;
  }

  /** Queues the mail of an invitation. */
  async invite(db: Db, invitation: InvitationRow, by: { team: string; inviter: string }): Promise<void> {
    const { id, team_id: teamId, email } = invitation;
    const text = invitationMail(invitation, by, publicBase(this.#dependencies.publicUrl!));
    await this.#queue(db, { teamId, email }, text, { is: "invitation", id });
  }

  /** Counts a mail with a code. @throws ProblemError 429. */
  async countCode(userId: string, email: string): Promise<void> {
    const limits = [[this.#ofPerson, userId] as const, [this.#toPerson, email] as const];
    const { waitMs } = await takeAll(limits);
    if (waitMs > 0) throw tooManyRequests("Too many codes were sent", waitMs);
  }

  /** Queues a mail with a code, by which the user proves the email. An earlier code becomes invalid. */
  async sendCode(db: Db, teamId: string, userId: string, email: string): Promise<void> {
    const row = { user_id: userId, email, code_hash: null, expires_at: this.#now + proofMs };
    await putEmailProof(db, row);
    const text = codeMail(publicBase(this.#dependencies.publicUrl!));
    await this.#queue(db, { teamId, email }, text, { is: "email", id: userId });
  }

  get #now(): number {
    return Math.trunc(this.#dependencies.clock.now());
  }

  async #queue(db: Db, { teamId, email }: { teamId: string; email: string }, text: MailText, secretFor: SecretFor): Promise<void> {
    const about = { teamId, recipients: [email], thread: null, secretFor };
    await queueMail(db, about, text, { makeId: this.#dependencies.makeId, now: this.#now });
  }
}
