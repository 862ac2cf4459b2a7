// Finds a player by its id, or by its name if the name is unique.
import { isId } from "../../../protocol/common.ts";
import { nameContains, nameMayContain } from "../../http/paging.ts";
import { invalidField } from "../../http/problem.ts";
import type { Db } from "../../store/store.ts";
import type { PlayerRow } from "../../store/tables/fleet.ts";
import { selectPlayers } from "../store.ts";

const maxListedIds = 5;

/**
 * Finds the team's player with this id, or with this name, ignoring case.
 * @param pointer the input field, for the error.
 * @throws ProblemError 422 when no player or several players match; the detail lists the ids.
 */
export async function findPlayerByIdOrName(db: Db, teamId: string, idOrName: string, pointer: string): Promise<PlayerRow> {
  const all = selectPlayers(db, teamId);
  const byId = isId("plr", idOrName) ? await all.where("id", "=", idOrName).executeTakeFirst() : undefined;
  if (byId !== undefined) return byId;
  const wanted = idOrName.trim();
  const candidates = wanted === "" ? [] : await all.where(nameMayContain(wanted)).orderBy("id").execute();
  // Two names that contain each other are equal except for case.
  const matches = candidates.filter(({ name }) => nameContains(name, wanted) && nameContains(wanted, name));
  const [first, ...others] = matches;
  if (first !== undefined && others.length === 0) return first;
  if (first === undefined) throw invalidField(pointer, `no screen has this id or name (“${wanted}”): take one from GET /players`);
  const ids = matches.slice(0, maxListedIds).map(({ id }) => id);
  throw invalidField(pointer, `${matches.length} screens have this name: use an id instead, such as ${ids.join(", ")}`);
}
