// The tickets of previews on a service of several nodes: rows, so that every node can open a ticket of another.
import { createHmac } from "node:crypto";
import type { Clock } from "../../../base/clock.ts";
import type { ShownContent } from "../../../protocol/operator/previews.ts";
import { ProblemError } from "../../http/problem.ts";
import { reauthorize } from "../../people/authentication.ts";
import type { SecretKeys } from "../../people/one-time/secret-keys.ts";
import type { Operator } from "../../people/operator.ts";
import { hashSecret } from "../../people/token-secrets.ts";
import type { PreviewTicketRow } from "../../store/tables/people.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Db, Store } from "../../store/store.ts";
import {
  coverContent,
  lifetimeMs,
  maxOfToken,
  ticketExpired,
  type CoveredFile,
  type OpenTicket,
  type PreviewTickets,
} from "./preview-tickets.ts";
import type { PreviewSubject } from "./shown-content.ts";

export class TicketsInDatabase implements PreviewTickets {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #makeId: MakeId;
  /** Derives the secret of a ticket from its id, so that only its hash is stored. */
  readonly #key: Buffer;

  constructor({ store, clock, makeId, secretKeys }: { store: Store; clock: Clock; makeId: MakeId; secretKeys: SecretKeys }) {
    this.#store = store;
    this.#clock = clock;
    this.#makeId = makeId;
    this.#key = secretKeys.keyFor("preview tickets");
  }

  prepare({ teamId, tokenId }: Operator, subject: PreviewSubject, hasCaptures: boolean): OpenTicket {
    const id = this.#makeId("prv");
    const expiresAt = this.#now() + lifetimeMs;
    return { id, secret: this.#secretOf(id), teamId, tokenId, subject, hasCaptures, expiresAt, files: new Map(), feeds: new Map() };
  }

  async open(db: Db, ticket: OpenTicket): Promise<() => void> {
    const { id, secret, teamId: team_id, tokenId: token_id, subject, hasCaptures, expiresAt: expires_at } = ticket;
    await db.deleteFrom("preview_tickets").where("expires_at", "<=", this.#now()).execute();
    const row: PreviewTicketRow = {
      id,
      secret_hash: hashSecret(secret),
      team_id,
      token_id,
      subject: JSON.stringify(subject),
      has_captures: hasCaptures ? 1 : 0,
      expires_at,
      ...coverOf(ticket),
    };
    await db.insertInto("preview_tickets").values(row).execute();
    const ofToken = db.selectFrom("preview_tickets").select("id").where("token_id", "=", token_id).orderBy("id", "desc");
    const oldest = await ofToken.offset(maxOfToken).limit(maxOfToken).execute();
    const ids = oldest.map((each) => each.id);
    if (ids.length > 0) await db.deleteFrom("preview_tickets").where("id", "in", ids).execute();
    return () => undefined;
  }

  async find(id: string, { tokenId }: Operator): Promise<OpenTicket> {
    const found = this.#store.db.selectFrom("preview_tickets").selectAll().where("id", "=", id).where("token_id", "=", tokenId);
    const row = await found.where("expires_at", ">", this.#now()).executeTakeFirst();
    if (row === undefined) throw ticketExpired();
    return ticketOf(row, this.#secretOf(id));
  }

  /** A ticket ends with its token, which another node may have ended. */
  async bySecret(secret: string): Promise<OpenTicket | undefined> {
    const { db } = this.#store;
    const found = db.selectFrom("preview_tickets").selectAll().where("secret_hash", "=", hashSecret(secret));
    const row = await found.where("expires_at", ">", this.#now()).executeTakeFirst();
    if (row === undefined) return undefined;
    try {
      await reauthorize(db, this.#clock, { tokenId: row.token_id }, "assets:read");
    } catch (error) {
      if (error instanceof ProblemError) return undefined;
      throw error;
    }
    return ticketOf(row, secret);
  }

  async renew(db: Db, { id, expiresAt: expires_at }: OpenTicket): Promise<() => void> {
    await db.updateTable("preview_tickets").set({ expires_at }).where("id", "=", id).execute();
    return () => undefined;
  }

  async cover(ticket: OpenTicket, content: ShownContent, draftId: string | null): Promise<void> {
    coverContent(ticket, content, draftId);
    // Not the store's next write: a draft's content is read within one, which would wait for this one for ever.
    await this.#store.db.transaction().execute(async (db) => {
      const own = db.selectFrom("preview_tickets").selectAll().where("id", "=", ticket.id);
      const row = await own.forUpdate().executeTakeFirst();
      if (row === undefined) return;
      // Another node may have read other content for it meanwhile.
      const stored = ticketOf(row, ticket.secret);
      coverContent(stored, content, draftId);
      await db.updateTable("preview_tickets").set(coverOf(stored)).where("id", "=", ticket.id).execute();
    });
  }

  #secretOf(id: string): string {
    return createHmac("sha256", this.#key).update(id).digest().subarray(0, 24).toString("base64url");
  }

  #now(): number {
    return Math.trunc(this.#clock.now());
  }
}

/** Deletes the tickets of a team that is deleted. Those in memory end with their tokens. */
export async function deleteTeamTickets(db: Db, teamId: string): Promise<void> {
  await db.deleteFrom("preview_tickets").where("team_id", "=", teamId).execute();
}

function coverOf({ files, feeds }: OpenTicket): Pick<PreviewTicketRow, "files" | "feeds"> {
  return { files: JSON.stringify([...files]), feeds: JSON.stringify([...feeds]) };
}

function ticketOf(row: PreviewTicketRow, secret: string): OpenTicket {
  return {
    id: row.id,
    secret,
    teamId: row.team_id,
    tokenId: row.token_id,
    subject: JSON.parse(row.subject) as PreviewSubject,
    hasCaptures: row.has_captures === 1,
    expiresAt: row.expires_at,
    files: new Map(JSON.parse(row.files) as [string, CoveredFile][]),
    feeds: new Map(JSON.parse(row.feeds) as [string, number][]),
  };
}
