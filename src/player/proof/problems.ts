// The player's problems, derived from what is really on the screen: what the page reports, and how the parts are.
import type { DesiredState } from "../../protocol/device/desired-state.ts";
import {
  fitProblems,
  createProblem,
  type PlayerProblem,
  type ProblemCode,
  type ProblemList,
} from "../../protocol/device/player-problems.ts";
import type { FromPage, Stage } from "../../protocol/scene.ts";
import type { DownloadProgress } from "../content/download-progress.ts";
import type { WithheldContent } from "../surface/recovery.ts";

/** How the parts of the player are at one instant. */
export interface PlayerCondition {
  /** Corrected wall time, ms. */
  now: number;
  uptimeMs: number;
  /** What is drawn, null: no layout is due. */
  stage: Stage | null;
  /** The state in force, null before the first. */
  desired: DesiredState | null;
  progress: DownloadProgress;
  /** How long no frame has been presented, ms. */
  stillMs: number;
  withheld: WithheldContent | null;
  diskFreeBytes: number | null;
  /** Bound of the clock's error, ms; infinite before the first exchange. */
  clockErrorMs: number;
}

/** An item that failed in a zone. `shown`: a play of it that has begun since. */
interface Failure {
  zoneId: string;
  itemId: string;
  code: ProblemCode;
  detail: string;
  since: number;
  shown: { key: string; at: number; endsAt: number } | null;
}

/** An item that is shown, but not as it was meant. */
type Flaw = Omit<Failure, "shown">;

type Failed = Extract<FromPage, { type: "failed" }>;
type Presented = Extract<FromPage, { type: "presented" }>;

const maxFailures = 500;
// A page that crashes a second after each start is not well in between.
const wellAfterMs = 10_000;
// An item that gives way to the next may do so a little before its end.
const earlyMs = 1_000;
// What comes up in the first minute needs no help.
const settledMs = 60_000;
// As long as recovery waits for a page before it calls it hung.
const stillLimitMs = 15_000;
const minDiskBytes = 256 * 1024 * 1024;
const clockPatienceMs = 600_000;
const worstClockErrorMs = 5_000;

/** Keeps since when each problem has been there. */
export class Problems {
  readonly #failures = new Map<string, Failure>();
  /** By zone, item and code, for as long as the item may play; a page that comes up tells them again. */
  readonly #flaws = new Map<string, Flaw>();
  /** When the page told that a zone has nothing to show, by zone. */
  readonly #fallen = new Map<string, number>();
  /** Since when the problems of the last list have been there. */
  #since = new Map<string, number>();
  #page: number | null = null;

  /** Takes in what the page says at `now` (corrected wall time, ms), while `stage` is drawn. */
  handleMessage(message: FromPage, stage: Stage | null, now: number): void {
    if (message.type === "hello") this.#greet(message.opened_at ?? null, now);
    else if (message.type === "failed") this.#fail(message, now);
    else if (message.type === "flawed") this.#noteFlaw(message, now);
    else if (message.type === "presented") {
      this.#fallen.delete(message.zone_id);
      this.#leave(message.zone_id, message.key, stage, message.at);
      this.#show(message, stage);
    } else if (message.type === "fallback") {
      this.#fallen.set(message.zone_id, now);
      this.#leave(message.zone_id, null, stage, message.at);
    }
  }

  /** What is wrong now, as a heartbeat tells it. */
  list(condition: PlayerCondition): ProblemList {
    const all = [...screenProblems(condition), ...this.#zoneProblems(condition), ...this.#itemProblems(condition)];
    const since = new Map<string, number>();
    const dated = all.map((problem): PlayerProblem => {
      const name = [problem.code, problem.zone_id, problem.item_id].join(" ");
      const first = Math.min(this.#since.get(name) ?? Number.POSITIVE_INFINITY, Date.parse(problem.since));
      since.set(name, first);
      return { ...problem, since: new Date(first).toISOString() };
    });
    this.#since = since;
    return fitProblems(dated);
  }

  /** A page that was loaded anew shows nothing yet, and tells again what fails. */
  #greet(openedAt: number | null, now: number): void {
    if (openedAt !== null && openedAt === this.#page) return;
    this.#page = openedAt;
    this.#fallen.clear();
    this.#flaws.clear();
    for (const [name, failure] of this.#failures) {
      if (isOver(failure, now)) this.#failures.delete(name);
      else failure.shown = null;
    }
  }

  #fail({ zone_id: zoneId, item_id: itemId, code, detail }: Failed, now: number): void {
    const name = nameOf(zoneId, itemId);
    const before = this.#failures.get(name);
    const since = before === undefined || isOver(before, now) ? now : before.since;
    this.#failures.delete(name);
    this.#failures.set(name, { zoneId, itemId, code: `item-${code}`, detail, since, shown: null });
    if (this.#failures.size > maxFailures) this.#failures.delete(this.#failures.keys().next().value!);
  }

  #noteFlaw({ zone_id: zoneId, item_id: itemId, code, detail }: Extract<FromPage, { type: "flawed" }>, now: number): void {
    const name = `${nameOf(zoneId, itemId)} ${code}`;
    this.#flaws.set(name, { zoneId, itemId, code: `item-${code}`, detail, since: this.#flaws.get(name)?.since ?? now });
    if (this.#flaws.size > maxFailures) this.#flaws.delete(this.#flaws.keys().next().value!);
  }

  #show({ zone_id: zoneId, item_id: itemId, key, at }: Presented, stage: Stage | null): void {
    const failure = this.#failures.get(nameOf(zoneId, itemId));
    if (failure !== undefined) failure.shown ??= { key, at, endsAt: endOf(stage, zoneId, key) ?? Number.POSITIVE_INFINITY };
  }

  /**
   * Judges the play that leaves a zone for the one of `key`. The page tells each cause of a failure once: an item that had to leave
   * before its time, with its play still due, has failed again.
   */
  #leave(zoneId: string, key: string | null, stage: Stage | null, at: number): void {
    for (const [name, failure] of this.#failures) {
      const { shown } = failure;
      if (failure.zoneId !== zoneId || shown === null || shown.key === key) continue;
      const endsAt = endOf(stage, zoneId, shown.key);
      if (endsAt !== null && at < endsAt - earlyMs) failure.shown = null;
      else this.#failures.delete(name);
    }
  }

  #zoneProblems({ now, stage, desired, withheld }: PlayerCondition): PlayerProblem[] {
    if (stage === null || desired === null || withheld?.isNow === true) return [];
    const zones = new Map([desired.layout, ...desired.layouts].flatMap((layout) => layout?.zones ?? []).map((zone) => [zone.id, zone]));
    return stage.zones.flatMap(({ id: zone_id, slots }) => {
      if (slots.length === 0) {
        const isAssigned = zones.get(zone_id)?.playlist_id != null;
        return isAssigned ? [createProblem("zone-empty", now, { zone_id, detail: "no item of its playlist is due" })] : [];
      }
      const fallenAt = this.#fallen.get(zone_id);
      return fallenAt === undefined ? [] : [createProblem("zone-empty", fallenAt, { zone_id, detail: "none of its items can be shown" })];
    });
  }

  #itemProblems({ now, desired }: PlayerCondition): PlayerProblem[] {
    const playable = playableItems(desired, now);
    const problems: PlayerProblem[] = [];
    for (const [name, failure] of this.#failures) {
      const { zoneId: zone_id, itemId: item_id, code, detail, since } = failure;
      if (!playable.has(name)) this.#failures.delete(name);
      else if (!isOver(failure, now)) problems.push(createProblem(code, since, { zone_id, item_id, detail }));
    }
    for (const [name, { zoneId: zone_id, itemId: item_id, code, detail, since }] of this.#flaws) {
      if (playable.has(nameOf(zone_id, item_id))) problems.push(createProblem(code, since, { zone_id, item_id, detail }));
      else this.#flaws.delete(name);
    }
    return problems;
  }
}

/** What is wrong with the screen as a whole. */
function screenProblems(condition: PlayerCondition): PlayerProblem[] {
  const { now, uptimeMs, stillMs, withheld, progress, diskFreeBytes, clockErrorMs } = condition;
  const problems: PlayerProblem[] = [];
  if (withheld !== null) problems.push(createProblem("content-withheld", withheld.since, { detail: describeWithheld(withheld) }));
  if (uptimeMs >= settledMs && stillMs >= stillLimitMs) problems.push(createProblem("not-rendering", now - stillMs));
  if (progress.is === "failed")
    problems.push(createProblem("content-failed", now, progress.detail === null ? {} : { detail: progress.detail }));
  if (diskFreeBytes !== null && diskFreeBytes < minDiskBytes) {
    problems.push(createProblem("disk-low", now, { detail: `${Math.floor(diskFreeBytes / 1_000_000)} MB are free` }));
  }
  if (!Number.isFinite(clockErrorMs)) {
    if (uptimeMs >= clockPatienceMs)
      problems.push(createProblem("clock-unsure", now, { detail: "nothing has told it the time since its start" }));
  } else if (clockErrorMs > worstClockErrorMs) {
    problems.push(createProblem("clock-unsure", now, { detail: `it may be wrong by ${Math.round(clockErrorMs / 1_000)} s` }));
  }
  return problems;
}

/** Why content is withheld and until when, for people. */
export function describeWithheld({ isNow, fault, failures, until }: WithheldContent): string {
  const ends = new Date(until).toISOString();
  const times = failures === 1 ? "once" : `${failures} times`;
  return `the browser failed ${times} within five minutes (${fault}); ${isNow ? `it is tried again at ${ends}` : `withheld until ${ends}, on trial now`}`;
}

/** A failure does not count while its item is on the screen: for a while, or to the end of its play. */
function isOver({ shown }: Failure, now: number): boolean {
  return shown !== null && now >= Math.min(shown.at + wellAfterMs, shown.endsAt);
}

/** When the play of `key` ends; null when it is no longer to be shown. */
function endOf(stage: Stage | null, zoneId: string, key: string): number | null {
  return stage?.zones.find(({ id }) => id === zoneId)?.slots.find((slot) => slot.key === key)?.ends_at ?? null;
}

/** Zones and their items that a state may still show. */
function playableItems(desired: DesiredState | null, now: number): ReadonlySet<string> {
  if (desired === null) return new Set();
  const playlists = new Map(desired.playlists.map(({ id, items }) => [id, items]));
  const zones = [desired.layout, ...desired.layouts].flatMap((layout) => layout?.zones ?? []);
  const names = zones.flatMap(({ id, playlist_id }) => {
    const items = playlist_id === null ? [] : (playlists.get(playlist_id) ?? []);
    return items.filter((item) => item.valid_until === undefined || Date.parse(item.valid_until) > now).map((item) => nameOf(id, item.id));
  });
  return new Set(names);
}

function nameOf(zoneId: string, itemId: string): string {
  return `${zoneId} ${itemId}`;
}
