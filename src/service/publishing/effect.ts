// Forecasts what publishing a draft would change: which screens, when first, and where it leaves them empty.
import type { DesiredState } from "../../protocol/device/desired-state.ts";
import type { DraftEffect } from "../../protocol/operator/publishing.ts";
import type { ForecastInterval } from "../../schedule/forecast.ts";
import { DesiredStates } from "../fleet/state/desired-states.ts";
import { forecastFor } from "../schedule/forecast.ts";
import { interventionsOf, timeZoneOf, type OutlookDependencies } from "../schedule/schedule-outlook.ts";
import { digestOf } from "../store/canonical-json.ts";
import type { Db } from "../store/store.ts";
import type { DraftRow } from "../store/publishing-tables.ts";
import type { PlayerRow } from "../store/tables.ts";
import { concernedPlayers } from "./concerned-players.ts";
import { changesOf } from "./drafts.ts";
import { inDraft } from "./in-draft.ts";

const weekMs = 7 * 86_400_000;
const maxScreens = 200;
const maxGaps = 500;
/** A forecast of a playlist of interrupts may have very many intervals. */
const maxIntervals = 5_000;

/** What a screen shows for a time: the layout with all that it shows; null: nothing. */
interface Shown {
  from: number;
  until: number;
  layoutId: string | null;
  content: string | null;
}

/** The effect of a draft within a week. `db` is a transaction. */
export async function effectOf(services: OutlookDependencies, db: Db, draft: DraftRow): Promise<DraftEffect> {
  const { team_id: teamId } = draft;
  const from = Math.trunc(services.clock.now());
  const to = from + weekMs;
  const changes = await changesOf(db, draft.id);
  const refs = changes.map(({ kind, resource_id: id }) => ({ kind, id }));
  const now = await concernedPlayers(db, teamId, refs);
  const { result: later } = await inDraft(db, teamId, changes, () => concernedPlayers(db, teamId, refs));
  const all = [...new Map([...now, ...later].map((player) => [player.id, player])).values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const states = async () => {
    const desired = new DesiredStates();
    const read = new Map<string, DesiredState>();
    for (const player of all) read.set(player.id, await desired.read(db, player));
    return read;
  };
  const before = await states();
  const { result: after } = await inDraft(db, teamId, changes, states);
  const changed = all.filter(({ id }) => before.get(id)!.revision !== after.get(id)!.revision);
  const effect: DraftEffect = {
    screen_count: changed.length,
    examined_count: Math.min(changed.length, maxScreens),
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    first_at: null,
    screens: [],
    gaps: [],
  };
  for (const player of changed.slice(0, maxScreens)) {
    const [old, next] = [before.get(player.id)!, after.get(player.id)!];
    const shown = await forecast(services, db, player, old, from, to);
    const { firstAt, gaps } = compare(shown, await forecast(services, db, player, next, from, to));
    const own = { player_id: player.id, name: player.name };
    effect.screens.push({ ...own, first_at: firstAt === null ? null : new Date(firstAt).toISOString() });
    const shownGaps = gaps.map((gap) => ({ ...own, from: new Date(gap.from).toISOString(), to: new Date(gap.until).toISOString() }));
    effect.gaps.push(...shownGaps.slice(0, maxGaps - effect.gaps.length));
  }
  const first = effect.screens.flatMap(({ first_at }) => first_at ?? []).toSorted()[0];
  return { ...effect, first_at: first ?? null };
}

async function forecast(
  services: OutlookDependencies,
  db: Db,
  player: PlayerRow,
  state: DesiredState,
  from: number,
  to: number,
): Promise<Shown[]> {
  const interventions = await interventionsOf(services, db, player);
  const contentOf = contentDigests(state);
  const shown: Shown[] = [];
  for (const interval of await forecastFor(state, interventions, timeZoneOf(services, player), from, to)) {
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
function compare(
  before: readonly Shown[],
  after: readonly Shown[],
): { firstAt: number | null; gaps: { from: number; until: number }[] } {
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
