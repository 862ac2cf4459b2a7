// Counts the tags of a team's assets.
import type { AssetTags } from "../../../protocol/content/assets.ts";
import type { Db } from "../../store/store.ts";
import { tagsOf } from "./rows.ts";

/** All tags of the team's assets outside the bin, by name. */
export async function readAssetTags(db: Db, teamId: string): Promise<AssetTags> {
  // Many assets have the same tags: the database groups them, so that few lists are parsed.
  const rows = await db
    .selectFrom("assets")
    .select(["tags", (select) => select.fn.countAll<number>().as("count")])
    .where("team_id", "=", teamId)
    .where("deleted_at", "is", null)
    .where("tags", "!=", "[]")
    .groupBy("tags")
    .execute();
  const counts = new Map<string, number>();
  for (const row of rows) for (const tag of tagsOf(row)) counts.set(tag, (counts.get(tag) ?? 0) + Number(row.count));
  const data = [...counts].map(([tag, count]) => ({ tag, count }));
  return { data: data.toSorted((a, b) => a.tag.localeCompare(b.tag, "en")) };
}
