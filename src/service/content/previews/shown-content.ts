// Reads the content of a preview: that of a player, a layout or a playlist, without secrets and links to files.
import type { Clock } from "../../../base/clock.ts";
import { iso } from "../../../base/time.ts";
import type { DesiredLayout, DesiredPlaylist, DesiredState } from "../../../protocol/device/desired-state.ts";
import type { PlayerIntervention, ShownContent } from "../../../protocol/operator/previews.ts";
import type { TriedChange } from "../../../protocol/scheduling/timeline.ts";
import type { LastingIntervention } from "../../../schedule/interventions.ts";
import { onAnyScreen } from "../../../schedule/playlist/any-screen.ts";
import { DesiredStates } from "../../fleet/state/desired-states.ts";
import { desiredCalendars, readContent, type ContentIds } from "../../fleet/state/state-content.ts";
import { findPlayer } from "../../fleet/players/resource.ts";
import type { Presence } from "../../fleet/presence/presence.ts";
import { found } from "../../http/problem.ts";
import { calendarsById } from "../../schedule/calendars/holiday-calendars.ts";
import { interventionsOf, timeZoneOf } from "../../schedule/outlook/outlook.ts";
import { ScheduleTrial, takingBack } from "../../schedule/effect/trial.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Db, Store } from "../../store/store.ts";
import type { PlayerRow } from "../../store/tables/fleet.ts";
import { maskSecrets } from "../web-secrets.ts";

export interface ShownContentDependencies {
  clock: Clock;
  desired: DesiredStates;
  makeId: MakeId;
  presence: Presence;
  store: Store;
}

/** The subject of a preview. All null: only assets. */
export interface PreviewSubject {
  playerId: string | null;
  layoutId: string | null;
  playlistId: string | null;
  /** More playlists and assets, such as those of a change that is not saved yet. */
  playlistIds: readonly string[];
  assetIds: readonly string[];
  /** Changes of schedules that are not saved yet, with which the player is shown. */
  scheduleChanges: readonly TriedChange[];
}

// A layout or a playlist is shown as on a screen that has nothing else, and the tags and variables that its items want.
const noPlayerId = `plr_${"0".repeat(26)}`;
const wholeLayoutId = `lay_${"0".repeat(26)}`;
const wholeZoneId = `zon_${"0".repeat(26)}`;
const wholeSize = { width: 1_920, height: 1_080 };

/** @throws ProblemError 404 if its subject does not exist. */
export async function readShownContent(
  dependencies: ShownContentDependencies,
  teamId: string,
  subject: PreviewSubject,
): Promise<ShownContent> {
  const { db } = dependencies.store;
  const { playerId, layoutId, playlistIds, assetIds, scheduleChanges } = subject;
  if (playerId !== null) {
    const player = found(await findPlayer(db, teamId, playerId), "screen");
    const content = await contentWithChanges(dependencies, player, scheduleChanges);
    const { state } = content;
    const more = shownState(await stateWith(db, teamId, { layoutIds: [], playlistIds, assetIds }));
    const playlists = withMore(state.playlists, more.playlists);
    const calendars = withMore(state.calendars ?? [], more.calendars ?? []);
    return { ...content, state: { ...state, playlists, assets: withMore(state.assets, more.assets), ...desiredCalendars(calendars) } };
  }
  const state = layoutId === null ? await stateOfPlaylist(db, teamId, subject) : await stateOfLayout(db, teamId, layoutId, subject);
  const playlists = state.playlists.map(({ id, items }) => ({ id, items: items.map(onAnyScreen) }));
  return { device_timezone: "UTC", interventions: [], state: shownState({ ...state, playlists }) };
}

/** The content of a player after changes of schedules, which are tried and taken back. */
async function contentWithChanges(
  dependencies: ShownContentDependencies,
  player: PlayerRow,
  changes: readonly TriedChange[],
): Promise<ShownContent> {
  const { store } = dependencies;
  if (changes.length === 0) return contentOfPlayer(dependencies, player);
  return store.write((db) =>
    takingBack(db, async () => {
      await new ScheduleTrial(dependencies, player.team_id, changes, "/schedule_changes").write(db);
      // States of its own: those of all others are kept in memory, and do not have the changes.
      return contentOfPlayer({ ...dependencies, desired: new DesiredStates(db), store: { ...store, db } }, player);
    }),
  );
}

function withMore<T extends { id: string }>(own: readonly T[], more: readonly T[]): T[] {
  const known = new Set(own.map(({ id }) => id));
  return [...own, ...more.filter(({ id }) => !known.has(id))];
}

/** The content of a player, as it is computed from its desired state. */
export async function contentOfPlayer(dependencies: ShownContentDependencies, player: PlayerRow): Promise<ShownContent> {
  const { desired, store } = dependencies;
  const state = await desired.read(player);
  const interventions = await interventionsOf(dependencies, store.db, player);
  return {
    device_timezone: timeZoneOf(dependencies, player),
    interventions: interventions.map(showIntervention),
    state: shownState(state),
  };
}

async function stateOfLayout(db: Db, teamId: string, layoutId: string, { playlistIds, assetIds }: PreviewSubject): Promise<DesiredState> {
  const state = await stateWith(db, teamId, { layoutIds: [layoutId], playlistIds, assetIds });
  return { ...state, layout: found(state.layouts[0], "layout"), layouts: [] };
}

async function stateOfPlaylist(db: Db, teamId: string, { playlistId, playlistIds, assetIds }: PreviewSubject): Promise<DesiredState> {
  const own = playlistId === null ? [] : [playlistId];
  const state = await stateWith(db, teamId, { layoutIds: [], playlistIds: [...own, ...playlistIds], assetIds });
  if (playlistId !== null)
    found(
      state.playlists.find(({ id }) => id === playlistId),
      "playlist",
    );
  return { ...state, layout: wholeLayout(playlistId) };
}

/** A layout of one zone. */
function wholeLayout(playlistId: string | null): DesiredLayout {
  const zone = { id: wholeZoneId, name: "Whole screen", left: 0, top: 0, ...wholeSize, z_index: 0, playlist_id: playlistId };
  return { id: wholeLayoutId, ...wholeSize, background_color: "#000000", zones: [zone] };
}

/** The state of a screen that shows nothing yet, with this content. */
async function stateWith(db: Db, teamId: string, ids: ContentIds): Promise<DesiredState> {
  const { digest: revision, calendarIds, ...content } = await readContent(db, teamId, ids);
  const calendars = await calendarsById(db, teamId, calendarIds);
  const player = { id: noPlayerId, name: "", timezone: null, tags: [], variables: {} };
  return { revision, player, layout: null, schedules: [], ...content, ...desiredCalendars(calendars.values()) };
}

function shownState(state: DesiredState): ShownContent["state"] {
  return { ...state, playlists: state.playlists.map(withoutSecrets), assets: state.assets.map(withoutUrl) };
}

function withoutSecrets({ id, items }: DesiredPlaylist): DesiredPlaylist {
  return { id, items: items.map(maskSecrets) };
}

function withoutUrl({ url: _url, ...asset }: DesiredState["assets"][number]): ShownContent["state"]["assets"][number] {
  return asset;
}

function showIntervention(each: LastingIntervention): PlayerIntervention {
  const { id, at } = each;
  const common = { id, at: iso(at) };
  switch (each.is) {
    case "override": {
      const layout_id = "layoutId" in each.show ? each.show.layoutId : null;
      const asset_id = "assetId" in each.show ? each.show.assetId : null;
      const loops_from = each.loopsFrom === undefined ? null : iso(each.loopsFrom);
      return { ...common, type: "override", until: iso(each.until), level: each.level, layout_id, asset_id, loops_from };
    }
    case "pause":
      return { ...common, type: "pause", until: iso(each.until) };
    case "variable":
      return { ...common, type: "variable", until: iso(each.until), name: each.name, value: each.value };
  }
}
