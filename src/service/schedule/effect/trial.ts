// Tries changes of schedules: writes them in a transaction, with all checks of the real write, and takes them back.
import { sql } from "kysely";
import type { z } from "zod";
import type { Clock } from "../../../base/clock.ts";
import type { ScheduleTarget } from "../../../protocol/scheduling/schedules.ts";
import type { TriedChange } from "../../../protocol/scheduling/timeline.ts";
import { mostErrors } from "../../../protocol/refusal.ts";
import { NewSchedule } from "../../../schedule/validate-schedule.ts";
import { discard } from "../../cleanup/bin.ts";
import { found, invalidFields, ProblemError } from "../../http/problem.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Db } from "../../store/store.ts";
import type { ScheduleRow } from "../../store/tables/content.ts";
import { changeSchedule, insertSchedule } from "../writes.ts";
import { schedulesOutsideBin, targetOf } from "../schedules.ts";

/** Runs `work` in the transaction `db` and takes back its writes. */
export async function takingBack<T>(db: Db, work: () => Promise<T>): Promise<T> {
  await sql`savepoint trial`.execute(db);
  try {
    return await work();
  } finally {
    await sql`rollback to savepoint trial`.execute(db);
    await sql`release savepoint trial`.execute(db);
  }
}

/** Changes of a team's schedules, which are written one after the other. */
export class ScheduleTrial {
  readonly #dependencies: { clock: Clock; makeId: MakeId };
  readonly #teamId: string;
  readonly #changes: readonly TriedChange[];
  readonly #pointer: string;

  /** @param pointer to the changes in the request */
  constructor(dependencies: { clock: Clock; makeId: MakeId }, teamId: string, changes: readonly TriedChange[], pointer: string) {
    this.#dependencies = dependencies;
    this.#teamId = teamId;
    this.#changes = changes;
    this.#pointer = pointer;
  }

  /** The targets of all players that the changes may concern. */
  async targets(db: Db): Promise<ScheduleTarget[]> {
    const targets: ScheduleTarget[] = [];
    for (const tried of this.#changes) {
      const row = await this.#find(db, tried);
      targets.push(...(row === null ? [] : [targetOf(row)]), ...(tried.change?.target === undefined ? [] : [tried.change.target]));
    }
    return targets;
  }

  /** @throws ProblemError 404 or 422, as the real writes would. */
  async write(db: Db): Promise<void> {
    for (const [index, tried] of this.#changes.entries()) {
      try {
        await this.#writeOne(db, tried);
      } catch (error) {
        if (!(error instanceof ProblemError) || error.errors.length === 0) throw error;
        const place = `${this.#pointer}/${index}/change`;
        throw invalidFields(error.errors.map(({ pointer, detail }) => ({ pointer: place + pointer, detail })));
      }
    }
  }

  async #writeOne(db: Db, tried: TriedChange): Promise<void> {
    const { change } = tried;
    const row = await this.#find(db, tried);
    if (row === null) await insertSchedule(this.#dependencies, db, this.#teamId, newSchedule(change));
    else if (change === null) await discard(db, "schedules", row.id, Math.trunc(this.#dependencies.clock.now()), false);
    else await changeSchedule(this.#dependencies, db, row, change);
  }

  async #find(db: Db, { schedule_id: scheduleId }: TriedChange): Promise<ScheduleRow | null> {
    if (scheduleId === null) return null;
    return found(await schedulesOutsideBin(db, this.#teamId).where("id", "=", scheduleId).executeTakeFirst(), "schedule");
  }
}

/** @throws ProblemError 422 for a schedule that lacks something. */
function newSchedule(change: TriedChange["change"]): z.output<typeof NewSchedule> {
  const { success, data, error } = NewSchedule.safeParse(change ?? {});
  if (success) return data;
  const first = error.issues.slice(0, mostErrors);
  throw invalidFields(
    first.map(({ path, message }) => ({ pointer: `/${path.join("/")}`, detail: message })),
    error.issues.length - first.length,
  );
}
