// Forecasts what publishing a draft would change: which screens, when first, and where it leaves them empty.
import type { DesiredState } from "../../protocol/device/desired-state.ts";
import type { DraftEffect } from "../../protocol/operator/publishing.ts";
import type { ForecastInterval } from "../../schedule/forecast.ts";
import type { LastingIntervention } from "../../schedule/interventions.ts";
import { DesiredStates } from "../fleet/state/desired-states.ts";
import { emptyCache, readOverrides, readStateInputs } from "../fleet/state/state-inputs.ts";
import { forecastFor } from "../schedule/forecast.ts";
import { interventionsOf, timeZoneOf, type OutlookDependencies } from "../schedule/schedule-outlook.ts";
import { digestOf } from "../store/canonical-json.ts";
import { inChunks } from "../store/chunks.ts";
import type { Db, Store } from "../store/store.ts";
import type { PlayerRow } from "../store/tables.ts";
import { concernedPlayers } from "./concerned-players.ts";
import { changesOf, findDraft, keptOf } from "./drafts.ts";
import { inDraft } from "./in-draft.ts";

const weekMs = 7 * 86_400_000;
const maxScreens = 200;
const maxGaps = 500;
/** A forecast of a playlist of interrupts may have very many intervals. */
const maxIntervals = 5_000;

interface EffectDependencies extends OutlookDependencies {
  store: Store;
}

/** A screen that gets a new state, with its states. */
interface ChangedScreen {
  player: PlayerRow;
  timeZone: string;
  interventions: readonly LastingIntervention[];
  before: DesiredState;
  after: DesiredState;
}

/** What a screen shows for a time: the layout with all that it shows; null: nothing. */
interface Shown {
  from: number;
  until: number;
  layoutId: string | null;
  content: string | null;
}

/** The effect of a draft within a week. @throws ProblemError 404. */
export async function effectOf(services: EffectDependencies, teamId: string, draftId: string): Promise<DraftEffect> {
  const from = Math.trunc(services.clock.now());
  const to = from + weekMs;
  // Forecasts take long: they are computed after the transaction, for which all writes wait.
  const { count, screens } = await services.store.write((db) => readChanged(services, db, teamId, draftId));
  const effect: DraftEffect = {
    screen_count: count,
    examined_count: screens.length,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    first_at: null,
    screens: [],
    gaps: [],
  };
  for (const screen of screens) {
    const { firstAt, gaps } = compare(await forecast(screen, screen.before, from, to), await forecast(screen, screen.after, from, to));
    const own = { player_id: screen.player.id, name: screen.player.name };
    effect.screens.push({ ...own, first_at: firstAt === null ? null : new Date(firstAt).toISOString() });
    const shownGaps = gaps.map((gap) => ({ ...own, from: new Date(gap.from).toISOString(), to: new Date(gap.until).toISOString() }));
    effect.gaps.push(...shownGaps.slice(0, maxGaps - effect.gaps.length));
  }
  const first = effect.screens.flatMap(({ first_at }) => first_at ?? []).toSorted()[0];
  return { ...effect, first_at: first ?? null };
}

/** The screens that get a new state, how many, and the states of the first of them. */
async function readChanged(
  services: EffectDependencies,
  db: Db,
  teamId: string,
  draftId: string,
): Promise<{ count: number; screens: ChangedScreen[] }> {
  const draft = await findDraft(db, teamId, draftId);
  const changes = await changesOf(db, draft.id);
  const refs = changes.map(({ kind, resource_id: id }) => ({ kind, id }));
  const now = await concernedPlayers(db, teamId, refs);
  const { result } = await inDraft(db, teamId, await keptOf(db, draft.id), async () => {
    const later = await concernedPlayers(db, teamId, refs);
    const all = [...new Map([...now, ...later].map((player) => [player.id, player])).values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const revisions = await revisionsOf(db, all);
    const changed = all.filter(({ id, revision }) => revisions.get(id) !== revision);
    const some = changed.slice(0, maxScreens);
    return { count: changed.length, some, after: await statesOf(db, some) };
  });
  const before = await statesOf(db, result.some);
  const screens: ChangedScreen[] = [];
  for (const player of result.some) {
    const interventions = await interventionsOf(services, db, player);
    const own = { player, timeZone: timeZoneOf(services, player), interventions };
    screens.push({ ...own, before: before.get(player.id)!, after: result.after.get(player.id)! });
  }
  return { count: result.count, screens };
}

/** The revisions of players as the content is in the open transaction. */
async function revisionsOf(db: Db, players: readonly PlayerRow[]): Promise<ReadonlyMap<string, string>> {
  const cache = emptyCache();
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

async function statesOf(db: Db, players: readonly PlayerRow[]): Promise<ReadonlyMap<string, DesiredState>> {
  const desired = new DesiredStates();
  const states = new Map<string, DesiredState>();
  for (const player of players) states.set(player.id, await desired.read(db, player));
  return states;
}

async function forecast({ interventions, timeZone }: ChangedScreen, state: DesiredState, from: number, to: number): Promise<Shown[]> {
  const contentOf = contentDigests(state);
  const shown: Shown[] = [];
  for (const interval of await forecastFor(state, interventions, timeZone, from, to)) {
    shown.push(shownIn(interval, contentOf));
    if (shown.length >= maxIntervals) break;
  }
  return shown;
}

function shownIn({ from, until, layoutId }: ForecastInterval, contentOf: ReadonlyMap<string, string>): Shown {
  return { from, until, layoutId, content: layoutId === null ? null : (contentOf.get(layoutId) ?? layoutId) };
}

/** A digest of each layout with its playlists, and the hashes of its files. */
function contentDigests({ layout, layouts, playlists, assets }: DesiredState): ReadonlyMap<string, string> {
  const itemsOf = new Map(playlists.map(({ id, items }) => [id, items]));
  const hashes = new Map(assets.map(({ id, sha256 }) => [id, sha256]));
  const digests = new Map<string, string>();
  for (const each of layout === null ? layouts : [layout, ...layouts]) {
    const items = each.zones.map(({ playlist_id }) => (playlist_id === null ? null : (itemsOf.get(playlist_id) ?? null)));
    const files = (JSON.stringify([each, items]).match(/ast_[0-9a-hjkmnp-tv-z]{26}/g) ?? []).map((id) => hashes.get(id) ?? null);
    digests.set(each.id, digestOf([each, items, files]));
  }
  return digests;
}

/** When two forecasts differ first, and where only the second shows nothing. Both cover the same time. */
function compare(before: readonly Shown[], after: readonly Shown[]): { firstAt: number | null; gaps: { from: number; until: number }[] } {
  let firstAt: number | null = null;
  const gaps: { from: number; until: number }[] = [];
  for (let old = 0, next = 0; old < before.length && next < after.length;) {
    const [was, becomes] = [before[old]!, after[next]!];
    const from = Math.max(was.from, becomes.from);
    const until = Math.min(was.until, becomes.until);
    if (from < until && was.content !== becomes.content) firstAt ??= from;
    if (from < until && was.layoutId !== null && becomes.layoutId === null) {
      const last = gaps.at(-1);
      if (last !== undefined && last.until === from) last.until = until;
      else gaps.push({ from, until });
    }
    if (was.until <= until) old += 1;
    if (becomes.until <= until) next += 1;
  }
  return { firstAt, gaps };
}
