// The audit log: one entry per write, each linked to the previous one by its hash. Entries are never changed or removed.
import { createHash } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import type { AuditVerification } from "../../protocol/operator/people.ts";
import type { MakeId } from "../store/ids.ts";
import { canonicalJson } from "../store/canonical-json.ts";
import type { Db } from "../store/store.ts";
import type { AuditRow } from "../store/tables/people.ts";

/** A write to be logged. It contains digests of the resource instead of the resource: the log has no content and no secrets. */
export interface AuditedWrite {
  teamId: string;
  userId: string;
  tokenId: string;
  /** The name of the operation. */
  action: string;
  resourceType: string;
  resourceId: string | null;
  before: string | null;
  after: string | null;
  address: string;
  requestId: string;
  /** The name of whoever made the link that was used; by default the write uses none. */
  issuer?: string;
}

// The predecessor's hash of the first entry.
const noHash = "";
const pageSize = 1_000;

export class AuditLog {
  readonly #clock: Clock;
  readonly #makeId: MakeId;

  constructor(clock: Clock, makeId: MakeId) {
    this.#clock = clock;
    this.#makeId = makeId;
  }

  /** Adds an entry, in the transaction of the write. */
  async append(db: Db, write: AuditedWrite): Promise<void> {
    const head = await db.selectFrom("audit_heads").selectAll().where("team_id", "=", write.teamId).executeTakeFirst();
    const content = {
      id: this.#makeId("aud"),
      team_id: write.teamId,
      seq: (head?.seq ?? 0) + 1,
      created_at: Math.trunc(this.#clock.now()),
      user_id: write.userId,
      token_id: write.tokenId,
      action: write.action,
      resource_type: write.resourceType,
      resource_id: write.resourceId,
      before_digest: write.before,
      after_digest: write.after,
      address: write.address,
      request_id: write.requestId,
      issuer: write.issuer ?? null,
    };
    const hash = entryHash(head?.hash ?? noHash, content);
    await db
      .insertInto("audit")
      .values({ ...content, hash })
      .execute();
    const newHead = { seq: content.seq, hash };
    await db
      .insertInto("audit_heads")
      .values({ team_id: write.teamId, ...newHead })
      .onConflict((conflict) => conflict.column("team_id").doUpdateSet(newHead))
      .execute();
  }

  /**
   * Checks a team's log from its first entry on: no entry may be missing or changed, and the last one must match the recorded head.
   * Entries that are added meanwhile are not checked.
   */
  async verify(db: Db, teamId: string): Promise<AuditVerification> {
    const head = await db.selectFrom("audit_heads").selectAll().where("team_id", "=", teamId).executeTakeFirst();
    const until = head?.seq ?? 0;
    let last = { seq: 0, hash: noHash };
    const result = (holds: boolean): AuditVerification => ({
      holds,
      entries: last.seq,
      broken_at_seq: holds ? null : last.seq + 1,
      last_hash: last.hash === noHash ? null : last.hash,
    });
    while (last.seq < until) {
      const rows = await db
        .selectFrom("audit")
        .selectAll()
        .where("team_id", "=", teamId)
        .where("seq", ">", last.seq)
        .where("seq", "<=", until)
        .orderBy("seq")
        .limit(pageSize)
        .execute();
      if (rows.length === 0) return result(false);
      for (const { hash, ...content } of rows) {
        if (content.seq !== last.seq + 1 || entryHash(last.hash, content) !== hash) return result(false);
        last = { seq: content.seq, hash };
      }
    }
    return result(last.hash === (head?.hash ?? noHash));
  }
}

/** The hash of an entry, over its content and the hash of its predecessor. Entries of earlier versions had no issuer. */
function entryHash(previousHash: string, { issuer, ...content }: Omit<AuditRow, "hash">): string {
  const hashed = issuer === null ? content : { ...content, issuer };
  return createHash("sha256").update(previousHash).update(canonicalJson(hashed)).digest("hex");
}
