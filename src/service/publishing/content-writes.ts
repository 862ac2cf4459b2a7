// The writes of the open transaction to content. Triggers note them, so no place that writes can forget to.
import type { ContentKind } from "../../protocol/operator/publishing.ts";
import { preparedQuery } from "../store/prepared-query.ts";
import type { Db } from "../store/store.ts";
import type { ContentWriteRow } from "../store/tables/content.ts";
import { imageOf, readLive, type Image } from "./images.ts";

/** A resource that was written, as it was before the transaction and as it is now. */
export interface ContentWrite {
  teamId: string;
  kind: ContentKind;
  id: string;
  before: Image;
  after: Image;
  /** The state in the bin now. */
  binned: Image;
  updatedAt: number;
}

const noted = preparedQuery((db: Db, _values: object) => db.selectFrom("content_writes").selectAll());

/** Takes the writes since the last call, without resources whose state is again as before. */
export async function takeWrites(db: Db): Promise<ContentWrite[]> {
  const rows = await noted(db, {});
  if (rows.length === 0) return [];
  await db.deleteFrom("content_writes").execute();
  const writes: ContentWrite[] = [];
  for (const [teamId, ofTeam] of Map.groupBy(rows, (row) => row.team_id)) {
    const live = await readLive(db, teamId, ofTeam);
    for (const { kind, id, before } of ofTeam) {
      const { image: after, binned, updatedAt } = live.get(id) ?? { image: null, binned: null, updatedAt: 0 };
      const write = { teamId, kind, id, before: before === null ? null : imageOf(kind, parse(before)), after, binned, updatedAt };
      if (write.before !== write.after) writes.push(write);
    }
  }
  return writes;
}

function parse(before: NonNullable<ContentWriteRow["before"]>): object {
  return JSON.parse(before) as object;
}
