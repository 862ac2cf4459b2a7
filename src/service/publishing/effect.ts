// Forecasts the effect of publishing a draft or of going back to a version: which screens change, when first, and where they become empty.
import { dayMs, iso } from "../../base/time.ts";
import type { ContentEffect, ContentRef } from "../../protocol/operator/publishing.ts";
import { StateCache } from "../fleet/state/state-cache.ts";
import { readOverrides, readStateInputs } from "../fleet/state/state-inputs.ts";
import { differingScreens } from "../schedule/effect/effect.ts";
import { emptyReasons } from "../schedule/forecast/empty-reasons.ts";
import { readInterventions, readScreens, type ScreenState } from "../schedule/forecast/plans.ts";
import type { OutlookDependencies } from "../schedule/outlook/outlook.ts";
import { inChunks } from "../store/chunks.ts";
import type { Db, Store } from "../store/store.ts";
import type { PlayerRow } from "../store/tables/fleet.ts";
import { applyImages } from "./apply.ts";
import { concernedPlayers } from "./concerned-players.ts";
import { changesOf, findDraft, keptOf } from "./drafts/drafts.ts";
import { afterChange, applyDraft, withoutCommit } from "./drafts/in-draft.ts";
import { contentToRestore } from "./versions/restore.ts";

const weekMs = 7 * dayMs;
const maxScreens = 1_000;
const maxGaps = 500;

interface EffectDependencies extends OutlookDependencies {
  store: Store;
}

/** A change of content that may be published. */
interface Change {
  /** The resources that it concerns. */
  refs: readonly ContentRef[];
  /** Makes it in the open transaction. */
  make: () => Promise<unknown>;
}

/** The screens that get a new state: how many, and the first of them without the change and with it. */
interface Changed {
  count: number;
  before: ReadonlyMap<string, ScreenState>;
  after: ReadonlyMap<string, ScreenState>;
}

/** The effect of a draft within a week. @throws ProblemError 404. */
export function effectOfDraft(services: EffectDependencies, teamId: string, draftId: string): Promise<ContentEffect> {
  return effectOf(services, teamId, async (db) => {
    const { id } = await findDraft(db, teamId, draftId);
    const kept = await keptOf(db, id);
    const refs = (await changesOf(db, id)).map(({ kind, resource_id }) => ({ kind, id: resource_id }));
    return { refs, make: () => applyDraft(db, teamId, kept) };
  });
}

/**
 * The effect of going back to a version within a week.
 * @param only the resources that go back; undefined: all
 * @throws ProblemError 404.
 */
export function effectOfRestoring(
  services: EffectDependencies,
  teamId: string,
  number: number,
  only: readonly ContentRef[] | undefined,
): Promise<ContentEffect> {
  return effectOf(services, teamId, async (db) => {
    const refs = await contentToRestore(db, teamId, number, only);
    return { refs, make: () => applyImages(db, teamId, refs, Math.trunc(services.clock.now()), true) };
  });
}

async function effectOf(services: EffectDependencies, teamId: string, find: (db: Db) => Promise<Change>): Promise<ContentEffect> {
  const from = Math.trunc(services.clock.now());
  const to = from + weekMs;
  // Plans take long: they are computed after the transaction, for which all writes wait.
  const { count, before, after } = await withoutCommit(services.store, async (db) => readChanged(services, db, teamId, await find(db)));
  const differing = new Map((await differingScreens({ before, after }, from, to)).map((each) => [each.screen.player.id, each.difference]));
  const screens = [...after.values()].map(({ player }) => {
    const at = differing.get(player.id)?.first.at;
    return { player_id: player.id, name: player.name, first_at: at === undefined ? null : iso(at) };
  });
  const gaps = [...after.values()].flatMap(({ player: { id, name }, input }) =>
    (differing.get(id)?.gaps ?? []).map((gap) => ({ player_id: id, name, input, gap })),
  );
  const reasonOf = await emptyReasons();
  return {
    screen_count: count,
    examined_count: screens.length,
    from: iso(from),
    to: iso(to),
    first_at: screens.flatMap(({ first_at }) => first_at ?? []).toSorted()[0] ?? null,
    screens,
    gaps: gaps.slice(0, maxGaps).map(({ player_id, name, input, gap }) => ({
      player_id,
      name,
      from: iso(gap.from),
      to: iso(gap.until),
      // It is empty: the reason is never null.
      empty_because: reasonOf(input, gap.interval)!,
    })),
  };
}

async function readChanged(services: EffectDependencies, db: Db, teamId: string, { refs, make }: Change): Promise<Changed> {
  const now = await concernedPlayers(db, teamId, refs);
  const { result } = await afterChange(db, make, async () => {
    const later = await concernedPlayers(db, teamId, refs);
    const all = [...new Map([...now, ...later].map((player) => [player.id, player])).values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const revisions = await revisionsOf(db, all);
    const changed = all.filter(({ id, revision }) => revisions.get(id) !== revision);
    const some = changed.slice(0, maxScreens);
    const interventions = await readInterventions(services, db, some);
    return { count: changed.length, some, interventions, after: await readScreens(services, db, some, interventions) };
  });
  const { count, some, interventions, after } = result;
  return { count, before: await readScreens(services, db, some, interventions), after };
}

/** The revisions of players as the content is in the open transaction. */
async function revisionsOf(db: Db, players: readonly PlayerRow[]): Promise<ReadonlyMap<string, string>> {
  const cache = new StateCache();
  const revisions = new Map<string, string>();
  for (const chunk of inChunks(players)) {
    const overrides = await readOverrides(
      db,
      chunk.map(({ id }) => id),
    );
    for (const player of chunk) {
      const { revision } = await readStateInputs(db, player, overrides.get(player.id) ?? [], cache);
      revisions.set(player.id, revision);
    }
  }
  return revisions;
}
