// Follows the schedule: computes the program whenever it may have changed, and prepares it as playback.
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { PlayCommand, VariablesSetArgs } from "../../protocol/device/play-commands.ts";
import type { DesiredAsset } from "../../protocol/device/desired-state.ts";
import type { Heartbeat, ShownReason } from "../../protocol/device/heartbeat.ts";
import type { Variables } from "../../protocol/scheduling/variables.ts";
import type { CommandMetadata } from "../commands/command-metadata.ts";
import type { ReadyState } from "../content/ready-content.ts";
import { variablesAt } from "../../schedule/interventions.ts";
import { invalidSchedules, programAt } from "../../schedule/program.ts";
import { explainAt } from "../../schedule/why.ts";
import { skipTargetAt } from "../../schedule/timeline.ts";
import type { PlayerContext } from "../../schedule/playable-content.ts";
import { applyPlayCommand, type SkipTarget } from "./apply-play-command.ts";
import type { InterventionStore } from "./intervention-store.ts";
import type { ProgramInterval } from "../../playback/page-plan.ts";
import { schedulePlanAt, type SchedulePlan } from "../../playback/schedule-plan.ts";
import { setVariables } from "./set-variables.ts";
import { streamsOf, type StreamSource } from "../../playback/scene-item.ts";

// Limits that fit into a heartbeat.
const maxReasons = 20;
const maxVariableBytes = 8_192;
export class ScheduleFollower {
  readonly #store: InterventionStore;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #deviceTimeZone: string;
  #plan: SchedulePlan<ReadyState> | null = null;

  constructor(store: InterventionStore, clock: Clock, log: Log, deviceTimeZone: string) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#deviceTimeZone = deviceTimeZone;
  }

  /** The state in force. */
  get applied(): ReadyState | null {
    return this.#plan?.content ?? null;
  }

  /**
   * Follows `ready` and returns its intervals that are current or begin soon enough to be prepared. With null, the intervals of the
   * state in force stay as they are; empty if there is none.
   */
  follow(ready: ReadyState | null, now: number): readonly ProgramInterval[] {
    if (ready === null) return this.#plan?.intervals ?? [];
    const before = this.#plan;
    const plan = schedulePlanAt(before, ready, now, this.#context);
    if (before?.content !== ready) this.#logInvalidSchedules(ready);
    const layoutId = layoutOf(plan);
    if (before !== null && layoutOf(before) !== layoutId) this.#log.info({ layout_id: layoutId }, "another layout is due");
    this.#plan = plan;
    return plan.intervals;
  }

  /** The reasons for the content on the screen, for people: first those that apply, then the rejected ones, each cut to half the limit. */
  why(): ShownReason[] {
    const ready = this.#plan?.content;
    if (ready === undefined) return [];
    const all = explainAt(ready, this.#clock.now(), this.#context);
    const excluded = all.filter(({ verdict }) => verdict === "set-aside");
    const others = all.filter(({ verdict }) => verdict !== "set-aside");
    return [...others.slice(0, maxReasons / 2), ...excluded.slice(0, maxReasons / 2)].map(({ layoutId, ...reason }) => ({
      ...reason,
      layout_id: layoutId,
    }));
  }

  /** The current variables for a heartbeat: in the order of their names, as many as fit. */
  variables(): Variables {
    const ofState = this.#plan?.content.desired.player.variables ?? {};
    const all = variablesAt(ofState, this.#store.interventions.value, this.#clock.now());
    let bytes = 0;
    const fitting = Object.entries(all)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .filter((entry) => (bytes += Buffer.byteLength(JSON.stringify(entry))) <= maxVariableBytes);
    return Object.fromEntries(fitting);
  }

  /** The heartbeat's share of the schedule. */
  report(): Required<Pick<Heartbeat, "why" | "variables">> {
    return { why: this.why(), variables: this.variables() };
  }

  /** The operator's picture for withheld content; null without one or without its file. */
  get safePicture(): DesiredAsset | null {
    const { desired, files } = this.#plan?.content ?? {};
    const id = desired?.player.safe_asset_id;
    if (id === undefined || !files!.has(id)) return null;
    return desired!.assets.find((asset) => asset.id === id) ?? null;
  }

  /** The stream item behind a key in the page's request; null if no item of the state in force shows it. */
  streamOf(key: string): StreamSource | null {
    return streamsOf(this.#plan?.content.desired.playlists ?? []).get(key) ?? null;
  }

  /** Stores the effects of a play command. @throws Fault `unsupported` if there is nothing that it could apply to. */
  apply(command: PlayCommand & CommandMetadata): Promise<Record<string, unknown> | null> {
    return applyPlayCommand(command, this.#store, this.#clock.now(), (zoneId, now) => this.#skipTargets(zoneId, now));
  }

  /** Sets variables over those of the desired state. @throws Fault `unsupported` if there would be too many. */
  setVariables(id: string, args: VariablesSetArgs): Promise<{ until: string | null }> {
    return setVariables(this.#store, id, args, this.#clock.now());
  }

  /** The plays at `now` that can be skipped, in one zone or in all. */
  #skipTargets(zoneId: string | undefined, now: number): SkipTarget[] {
    const ready = this.#plan?.content;
    if (ready === undefined) return [];
    const { zones } = programAt(ready, now, this.#context).program;
    return zones.flatMap(({ zone, timeline }) => {
      const target = zoneId === undefined || zone.id === zoneId ? skipTargetAt(timeline, now) : null;
      return target === null ? [] : [{ zoneId: zone.id, ...target }];
    });
  }

  #logInvalidSchedules(ready: ReadyState): void {
    for (const { scheduleId, reason } of invalidSchedules(ready, this.#deviceTimeZone)) {
      this.#log.error({ schedule_id: scheduleId, reason }, "a schedule is invalid: it is ignored");
    }
  }

  get #context(): PlayerContext {
    return { interventions: this.#store.interventions.value, deviceTimeZone: this.#deviceTimeZone };
  }
}

function layoutOf({ intervals }: SchedulePlan): string | null {
  return intervals[0]!.playback.program.layout?.id ?? null;
}
