// The audit log: who wrote what, one entry per write, each chained to the one before by its hash. Entries are only ever added.
import { createHash } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import type { AuditVerification } from "../../protocol/operator/people.ts";
import type { MakeId } from "../store/ids.ts";
import { canonicalJson } from "../store/canonical-json.ts";
import type { Db } from "../store/store.ts";
import type { AuditRow } from "../store/people-tables.ts";

/** What was done, by whom and from where. Digests stand for the resource: no content and no secret comes in. */
export interface AuditedWrite {
  teamId: string;
  userId: string;
  tokenId: string;
  /** The operation's name. */
  action: string;
  resourceType: string;
  resourceId: string | null;
  before: string | null;
  after: string | null;
  address: string;
  requestId: string;
}

const none = "";
const batch = 1_000;

export class AuditLog {
  readonly #clock: Clock;
  readonly #makeId: MakeId;

  constructor(clock: Clock, makeId: MakeId) {
    this.#clock = clock;
    this.#makeId = makeId;
  }

  /** Adds an entry, in the transaction that makes it true. */
  async append(db: Db, deed: AuditedWrite): Promise<void> {
    const head = await db.selectFrom("audit_heads").selectAll().where("team_id", "=", deed.teamId).executeTakeFirst();
    const content = {
      id: this.#makeId("aud"),
      team_id: deed.teamId,
      seq: (head?.seq ?? 0) + 1,
      created_at: Math.trunc(this.#clock.now()),
      user_id: deed.userId,
      token_id: deed.tokenId,
      action: deed.action,
      resource_type: deed.resourceType,
      resource_id: deed.resourceId,
      before_digest: deed.before,
      after_digest: deed.after,
      address: deed.address,
      request_id: deed.requestId,
    };
    const hash = chained(head?.hash ?? none, content);
    await db
      .insertInto("audit")
      .values({ ...content, hash })
      .execute();
    const moved = { seq: content.seq, hash };
    await db
      .insertInto("audit_heads")
      .values({ team_id: deed.teamId, ...moved })
      .onConflict((conflict) => conflict.column("team_id").doUpdateSet(moved))
      .execute();
  }

  /**
   * Walks a team's log from its first entry: none may be missing, none altered, and the newest has to be the one noted last.
   * What is added meanwhile is not looked at.
   */
  async verify(db: Db, teamId: string): Promise<AuditVerification> {
    const head = await db.selectFrom("audit_heads").selectAll().where("team_id", "=", teamId).executeTakeFirst();
    const until = head?.seq ?? 0;
    let last = { seq: 0, hash: none };
    const verdict = (holds: boolean): AuditVerification => ({
      holds,
      entries: last.seq,
      broken_at_seq: holds ? null : last.seq + 1,
      last_hash: last.hash === none ? null : last.hash,
    });
    while (last.seq < until) {
      const rows = await db
        .selectFrom("audit")
        .selectAll()
        .where("team_id", "=", teamId)
        .where("seq", ">", last.seq)
        .where("seq", "<=", until)
        .orderBy("seq")
        .limit(batch)
        .execute();
      if (rows.length === 0) return verdict(false);
      for (const { hash, ...content } of rows) {
        if (content.seq !== last.seq + 1 || chained(last.hash, content) !== hash) return verdict(false);
        last = { seq: content.seq, hash };
      }
    }
    const isNewest = last.hash === (head?.hash ?? none);
    return verdict(isNewest);
  }
}

function chained(before: string, content: Omit<AuditRow, "hash">): string {
  return createHash("sha256").update(before).update(canonicalJson(content)).digest("hex");
}
