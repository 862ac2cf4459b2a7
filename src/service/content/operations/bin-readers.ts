// Reads the resources that can be in the bin: playlists, layouts and schedules.
import type { z } from "zod";
import type { BinQuery } from "../../../protocol/operator/resources.ts";
import { pageByName } from "../../http/paging.ts";
import { found } from "../../http/problem.ts";
import type { Db, Store } from "../../store/store.ts";
import { selectByBin, type RowsWithBin } from "../store.ts";
import { findTeamRow } from "../../store/tables/team-rows.ts";
import type { OperatorContext } from "../../operations/context.ts";

/** Reads the rows of one table. @param noun names the resource in a 404 */
export function binReaders<T extends keyof RowsWithBin, R>(table: T, noun: string, show: (row: RowsWithBin[T]) => R) {
  async function find(db: Db, teamId: string, id: string, { inBin }: { inBin: boolean }): Promise<RowsWithBin[T]> {
    const row = await findTeamRow(db, table, teamId, id);
    return found(inBin || row?.deleted_at === null ? row : undefined, noun);
  }
  return {
    /** @param inBin whether a row in the bin is found too @throws ProblemError 404. */
    find,
    /** Reads a resource outside the bin. @throws ProblemError 404. */
    read: async ({ store }: { store: Store }, { teamId }: OperatorContext, { id }: { id: string }): Promise<R> =>
      show(await find(store.db, teamId, id, { inBin: false })),
    /** Reads a resource in the bin or outside it. @throws ProblemError 404. */
    readAnywhere: async ({ store }: { store: Store }, { teamId }: OperatorContext, { id }: { id: string }): Promise<R> =>
      show(await find(store.db, teamId, id, { inBin: true })),
    list: ({ store }: { store: Store }, { teamId }: OperatorContext, { query }: { query: z.output<typeof BinQuery> }) =>
      pageByName<T, RowsWithBin[T], R>(selectByBin(store.db, table, teamId, query.deleted === "true"), query, show),
  };
}
