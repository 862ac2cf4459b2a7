// Follows the schedule: asks for the program whenever it may be another, hands it to playback, and does what play commands ask.
import type { Clock } from "../../base/clock.ts";
import { Fault } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import type { PlayCommand, VariablesSetArgs } from "../../protocol/device/play-commands.ts";
import type { ShownReason } from "../../protocol/device/heartbeat.ts";
import type { Variables } from "../../protocol/scheduling/variables.ts";
import type { CommandMetadata } from "../commands/command-runner.ts";
import type { ReadyState } from "../content/content-cache.ts";
import { upcomingLeadMs, type ProgramInterval } from "./page-plan.ts";
import { applyProgram } from "./playback.ts";
import type { InterventionStore } from "./intervention-store.ts";
import type { PlayerContext } from "../../schedule/playable-content.ts";
import { invalidSchedules, programAt } from "../../schedule/program.ts";
import { skipTargetAt } from "../../schedule/timeline.ts";
import { explainAt } from "../../schedule/why.ts";
import { pauseAt, setVariablesAt, variablesAt, type Intervention, type SetVariable } from "../../schedule/interventions.ts";

/** What plays now and, as far as it was asked for, next: of one state and its records. Never empty. */
interface Plan {
  ready: ReadyState;
  records: readonly Intervention[];
  acts: readonly ProgramInterval[];
}

// What a heartbeat holds.
const maxReasons = 20;
const maxVariableBytes = 8_192;
// After a sleep the program is asked for anew rather than gone through change by change.
const maxActs = 20;
// What a command takes at most to a player that is connected.
const promptMs = 10_000;
// As many as an operator may give.
const maxVariablesSet = 100;

export class ScheduleFollower {
  readonly #records: InterventionStore;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #deviceZone: string;
  #plan: Plan | null = null;

  constructor(records: InterventionStore, clock: Clock, log: Log, deviceZone: string) {
    this.#records = records;
    this.#clock = clock;
    this.#log = log;
    this.#deviceZone = deviceZone;
  }

  /** The ready state in force. */
  get applied(): ReadyState | null {
    return this.#plan?.ready ?? null;
  }

  /**
   * What plays at `now` with the newest state that is ready, and what follows within the time in which the page prepares
   * it. Empty while there is no state.
   */
  follow(ready: ReadyState | null, now: number): readonly ProgramInterval[] {
    if (ready === null) return this.#plan?.acts ?? [];
    const before = this.#plan;
    const plan = this.#ahead(this.#goOn(ready, now) ?? this.#begin(ready, now), now);
    if (before?.ready !== ready) this.#report(ready);
    const layoutId = layoutOf(plan);
    if (before !== null && layoutOf(before) !== layoutId) this.#log.info({ layout_id: layoutId }, "another layout is due");
    this.#plan = plan;
    return plan.acts;
  }

  /** Why the screen shows what it shows now, for people: the first of each kind of reason. */
  why(): ShownReason[] {
    const ready = this.#plan?.ready;
    if (ready === undefined) return [];
    const all = explainAt(ready, this.#clock.now(), this.#circumstances);
    const aside = all.filter(({ verdict }) => verdict === "set-aside");
    const others = all.filter(({ verdict }) => verdict !== "set-aside");
    return [...others.slice(0, maxReasons / 2), ...aside.slice(0, maxReasons / 2)].map(({ layoutId, ...reason }) => ({
      ...reason,
      layout_id: layoutId,
    }));
  }

  /** The variables that hold now, for a heartbeat: the first by name, as far as there is room. */
  variables(): Variables {
    const given = this.#plan?.ready.desired.player.variables ?? {};
    const all = variablesAt(given, this.#records.interventions.value, this.#clock.now());
    let bytes = 0;
    const fitting = Object.entries(all)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .filter((entry) => (bytes += Buffer.byteLength(JSON.stringify(entry))) <= maxVariableBytes);
    return Object.fromEntries(fitting);
  }

  /** Does what a play command asks, as a durable record. @throws Fault `unsupported` when there is nothing it could do it to. */
  async apply(command: PlayCommand & CommandMetadata): Promise<Record<string, unknown> | null> {
    const now = this.#clock.now();
    const stamp = { id: command.id, at: now };
    switch (command.type) {
      case "override.set": {
        const { layout_id, asset_id, duration_ms, level } = command.args;
        const loopsFrom = command.madeAt ?? now;
        // Screens that hear of it in time leave it together; one that was away shows it for its whole time.
        const isPrompt = Math.abs(now - loopsFrom) <= Math.min(promptMs, (duration_ms ?? 0) / 2);
        const until = duration_ms === undefined ? null : (isPrompt ? loopsFrom : now) + duration_ms;
        const show = layout_id === undefined ? { assetId: asset_id! } : { layoutId: layout_id };
        await this.#records.add([{ ...stamp, is: "override", until, level, show, loopsFrom }], now);
        return { override_id: command.id, until: until === null ? null : new Date(until).toISOString() };
      }
      case "override.clear": {
        const { override_id } = command.args;
        const ended = await this.#records.end(({ is, id }) => is === "override" && (override_id === undefined || id === override_id), now);
        return { ended };
      }
      case "skip": {
        // Who skips wants to see the next item, not the one that is held.
        await this.#resume(now);
        const skipped = this.#skipped(command.args.zone_id, now);
        if (skipped.length === 0) throw new Fault("unsupported", "no item is on that could be skipped");
        await this.#records.add(
          skipped.map((skip) => ({ ...stamp, ...skip, is: "skip" as const })),
          now,
        );
        return { skipped: skipped.map(({ zoneId, itemId }) => ({ zone_id: zoneId, item_id: itemId })) };
      }
      case "pause": {
        const until = now + command.args.duration_ms;
        // Paused already, it is the same pause with another end.
        const at = pauseAt(this.#records.interventions.value, now)?.at ?? now;
        await this.#records.replace(({ is }) => is === "pause", [{ ...stamp, at, is: "pause", until }], now);
        return { until: new Date(until).toISOString() };
      }
      case "resume":
        return { ended: await this.#resume(now) };
      case "variables.set":
        return this.setVariables(command.id, command.args);
      case "variables.clear": {
        const { names } = command.args;
        const isMeant = (record: { is: string; name?: string }) => record.is === "variable" && (names?.includes(record.name!) ?? true);
        return { ended: await this.#records.end(isMeant, now) };
      }
    }
  }

  /**
   * Sets variables above those of the desired state, by a command or a trigger of this `id`.
   * @throws Fault `unsupported` when more would be set than are kept.
   */
  async setVariables(id: string, { variables, duration_ms }: VariablesSetArgs): Promise<{ until: string | null }> {
    const now = this.#clock.now();
    const until = duration_ms === undefined ? null : now + duration_ms;
    const answer = { until: until === null ? null : new Date(until).toISOString() };
    const isSet = (name: string) => Object.hasOwn(variables, name);
    const settings = setVariablesAt(this.#records.interventions.value, now);
    // A sensor tells the same again and again: what holds already, and for good, is not written down anew.
    const isSo = ([name, value]: [string, unknown]) => settings.find((each) => each.name === name && each.until === null)?.value === value;
    const others = settings.filter(({ name, until: ends }) => ends !== null && isSet(name));
    if (until === null && others.length === 0 && Object.entries(variables).every(isSo)) return answer;
    const names = new Set([...settings.map(({ name }) => name), ...Object.keys(variables)]);
    if (names.size > maxVariablesSet) throw new Fault("unsupported", `at most ${maxVariablesSet} variables can be set on a player`);
    const added = Object.entries(variables).map(([name, value]): SetVariable => ({ id, at: now, is: "variable", until, name, value }));
    // What is set for a while stands above what was set for good; after it that holds again.
    const gives = (record: Intervention) => record.is === "variable" && isSet(record.name) && (until === null || record.until !== null);
    await this.#records.replace(gives, added, now);
    return answer;
  }

  /** The plan as far as it still holds at `now`; null when it is to be made anew. */
  #goOn(ready: ReadyState, now: number): Plan | null {
    const plan = this.#plan;
    // A clock that was put back makes the answer as old as one that has gone on.
    if (plan?.ready !== ready || plan.records !== this.#records.interventions.value || plan.acts[0]!.from > now) return null;
    let acts = plan.acts;
    // Change after change at its own instant: told late, the player decides what it would have in time.
    for (let passed = 0; acts[0]!.until <= now; passed += 1) {
      if (passed === maxActs) return null;
      acts = acts.length > 1 ? acts.slice(1) : [this.#after(ready, acts[0]!)];
    }
    return { ...plan, acts };
  }

  #begin(ready: ReadyState, now: number): Plan {
    const { program, changesAt } = programAt(ready, now, this.#circumstances);
    const playback = applyProgram(this.#plan?.acts[0]?.playback ?? null, program, now, ready.desired.assets);
    return { ready, records: this.#records.interventions.value, acts: [{ from: now, until: changesAt, playback }] };
  }

  /** The plan with all that begins early enough after `now` to be prepared. */
  #ahead(plan: Plan, now: number): Plan {
    const acts = [...plan.acts];
    for (let last = acts.at(-1)!; last.until <= now + upcomingLeadMs && acts.length < maxActs; last = acts.at(-1)!) {
      acts.push(this.#after(plan.ready, last));
    }
    return { ...plan, acts };
  }

  #after(ready: ReadyState, { until: from, playback: before }: ProgramInterval): ProgramInterval {
    const { program, changesAt: until } = programAt(ready, from, this.#circumstances);
    return { from, until, playback: applyProgram(before, program, from, ready.desired.assets, from) };
  }

  #resume(now: number): Promise<number> {
    return this.#records.end(({ is }) => is === "pause", now);
  }

  /** The plays on at `now`, in one zone or in all. */
  #skipped(zoneId: string | undefined, now: number): { zoneId: string; itemId: string; startsAt: number }[] {
    const ready = this.#plan?.ready;
    if (ready === undefined) return [];
    const { zones } = programAt(ready, now, this.#circumstances).program;
    return zones.flatMap(({ zone, timeline }) => {
      const skip = zoneId === undefined || zone.id === zoneId ? skipTargetAt(timeline, now) : null;
      return skip === null ? [] : [{ zoneId: zone.id, ...skip }];
    });
  }

  #report(ready: ReadyState): void {
    for (const { scheduleId, reason } of invalidSchedules(ready, this.#deviceZone)) {
      this.#log.error({ schedule_id: scheduleId, reason }, "a schedule cannot play: it is left out");
    }
  }

  get #circumstances(): PlayerContext {
    return { interventions: this.#records.interventions.value, deviceTimeZone: this.#deviceZone };
  }
}

function layoutOf({ acts }: Plan): string | null {
  return acts[0]!.playback.program.layout?.id ?? null;
}
