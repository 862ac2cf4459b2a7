// The operation that previews the actions of a player by itself: its display hours and recurring commands.
import type { Clock } from "../../../base/clock.ts";
import { dayMs, iso } from "../../../base/time.ts";
import { ControlPreview, ControlPreviewQuery } from "../../../protocol/scheduling/control-preview.ts";
import { findPlayer } from "../../fleet/players/resource.ts";
import type { Presence } from "../../fleet/presence/presence.ts";
import type { DesiredStates } from "../../fleet/state/desired-states.ts";
import { found, invalidField } from "../../http/problem.ts";
import { describeDisplayHours, previewControl } from "../forecast/control-preview.ts";
import { readCalendars } from "../calendars/holiday-calendars.ts";
import { interventionsOf, timeZoneOf } from "../outlook/outlook.ts";
import type { Store } from "../../store/store.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";
import { playerParams } from "../../fleet/operations/players.ts";

interface PreviewDependencies {
  clock: Clock;
  desired: DesiredStates;
  presence: Presence;
  store: Store;
}

const defaultDays = 7;
const maxDays = 31;

const operation = operationsWith<PreviewDependencies>();

export const controlPreviewOperations: readonly Operation<PreviewDependencies>[] = [
  operation({
    name: "previewPlayerControl",
    tag: "players",
    method: "GET",
    path: "/players/{id}/control-preview",
    summary: "Preview a player's display hours and recurring commands",
    description:
      "When the display will be on and off, and when the recurring commands will run: computed from the player's settings, the dates of their calendars and its time zone, with the clock changes, as the player computes it. Overrides that the player has confirmed wake the display. At most 31 days per request.",
    agent:
      "Use it after changing display_hours or recurring_commands, and tell people what the screen will do on the next days and holidays.",
    caller: "operator",
    scope: "players:read",
    drafts: true,
    params: playerParams,
    query: ControlPreviewQuery,
    status: 200,
    output: ControlPreview,
    errors: ["not-found", "invalid"],
    async run(dependencies, { teamId }, { params: { id: playerId }, query }) {
      const { clock, desired, store } = dependencies;
      const player = found(await findPlayer(store.db, teamId, playerId), "screen");
      const from = query.from === undefined ? Math.trunc(clock.now()) : Date.parse(query.from);
      const to = query.to === undefined ? from + defaultDays * dayMs : Date.parse(query.to);
      if (to <= from) throw invalidField("?to", "must be after ?from");
      if (to - from > maxDays * dayMs) throw invalidField("?to", `must be at most ${maxDays} days after ?from`);
      const state = await desired.read(player);
      const timeZone = timeZoneOf(dependencies, player);
      return {
        player_id: player.id,
        timezone: timeZone,
        from: iso(from),
        to: iso(to),
        summary: describeDisplayHours(state.player.display_hours, await readCalendars(store.db, teamId)),
        ...previewControl(state, await interventionsOf(dependencies, store.db, player), timeZone, from, to),
      };
    },
  }),
];
