// Records that somebody failed to sign in as a person: in the log, and in the audit log of each of the person's teams.
import type { Log } from "../../../base/log.ts";
import { dayMs } from "../../../base/time.ts";
import type { AttemptLimit, MakeLimit } from "../../http/limits/attempt-limit.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Store } from "../../store/store.ts";
import type { AuditLog } from "../audit.ts";

interface FailureDependencies {
  audit: AuditLog;
  log: Log;
  makeId: MakeId;
  makeLimit: MakeLimit;
  store: Store;
}

// Entries of the audit log are kept for ever, so that nobody may cause arbitrarily many.
const auditedFailuresPerDay = 20;

export class FailedSignIns {
  readonly #dependencies: FailureDependencies;
  readonly #audited: AttemptLimit;
  readonly #writing = new Set<Promise<void>>();

  constructor(dependencies: FailureDependencies) {
    this.#dependencies = dependencies;
    this.#audited = dependencies.makeLimit("audited-failure", auditedFailuresPerDay, dayMs);
  }

  /**
   * Records a failure. The answer does not wait for the entries: else its duration would reveal that the account exists.
   * @param what for the log, such as `a wrong password was given`
   */
  record(userId: string, what: string, { address, requestId }: { address: string; requestId: string }): void {
    const { log } = this.#dependencies;
    log.info({ user_id: userId, address }, what);
    const written = this.#write(userId, { address, requestId }).catch((error: unknown) =>
      log.error({ err: error, user_id: userId }, "a failed sign-in could not be written to the audit log"),
    );
    this.#writing.add(written);
    void written.then(() => this.#writing.delete(written));
  }

  async #write(userId: string, from: { address: string; requestId: string }): Promise<void> {
    const { audit, makeId, store } = this.#dependencies;
    if ((await this.#audited.take(userId)).waitMs > 0) return;
    await store.write(async (db) => {
      const teams = await db.selectFrom("members").select("team_id").where("user_id", "=", userId).execute();
      const nothing = { resourceId: null, before: null, after: null };
      const entry = { userId, tokenId: makeId("tok"), action: "failSignIn", resourceType: "sessions", ...nothing };
      for (const { team_id: teamId } of teams) await audit.append(db, { ...entry, ...from, teamId });
    });
  }

  /** Resolves when all failures have been written to the audit log. */
  async settled(): Promise<void> {
    await Promise.all(this.#writing);
  }
}
