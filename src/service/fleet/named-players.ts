// Players as people name them: by id, or by a name that one player alone has.
import { isId } from "../../protocol/common.ts";
import { nameContains, nameMayContain } from "../http/paging.ts";
import { invalidField } from "../http/problem.ts";
import type { Db } from "../store/store.ts";
import type { PlayerRow } from "../store/tables.ts";

const maxTold = 5;

/**
 * The team's player of this id, or else of this name, blind to case.
 * @param pointer the field that names it, for the refusal.
 * @throws Refusal 422 when there is none, or several have the name: the detail tells their ids.
 */
export async function findPlayerByIdOrName(db: Db, teamId: string, wanted: string, pointer: string): Promise<PlayerRow> {
  const all = db.selectFrom("players").selectAll().where("team_id", "=", teamId).where("removed_at", "is", null);
  const asId = isId("plr", wanted) ? await all.where("id", "=", wanted).executeTakeFirst() : undefined;
  if (asId !== undefined) return asId;
  const words = wanted.trim();
  const alike = words === "" ? [] : await all.where(nameMayContain(words)).orderBy("id").execute();
  // Each holds the other: they are the same but for case.
  const same = alike.filter(({ name }) => nameContains(name, words) && nameContains(words, name));
  const [first, ...others] = same;
  if (first !== undefined && others.length === 0) return first;
  if (first === undefined) throw invalidField(pointer, `no player has this id or name (“${words}”): take one from GET /players`);
  const ids = same.slice(0, maxTold).map(({ id }) => id);
  throw invalidField(pointer, `${same.length} players have this name: take the id of one, such as ${ids.join(", ")}`);
}
