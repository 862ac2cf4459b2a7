// Proof of play as a step machine: plans and what the page presented in, finished plays out. Pure: no clock, no disk.
import { formatCause, type PlayCause } from "../../schedule/cause.ts";

/** An instant: corrected wall time and the monotonic clock, both in ms. */
export interface ClockReading {
  at: number;
  mono: number;
}

/** What a play is a play of, and why it was on. */
export interface PlayIdentity extends PlayCause {
  zoneId: string;
  itemId: string;
  assetId: string | null;
  sha256: string | null;
  revision: string;
}

/** A play that is due at its time. `startsAt` and `endsAt` are its whole span in its loop, corrected wall time in ms. */
export interface PlannedPlay {
  /** Of its slot: the same play in one zone has the same key, whichever stage it is on and whatever brought it. */
  key: string;
  /** The key of the stage that it belongs to. */
  stage: string;
  startsAt: number;
  endsAt: number;
  of: PlayIdentity;
}

/** A play on the glass. Its id is given at its first frame, so that whoever closes it, now or after a crash, closes the same one. */
export interface OpenPlay extends PlannedPlay {
  id: string;
  started: ClockReading;
  /** What broke while it was on the glass. */
  trouble: string | null;
}

/** A play that is over. */
export interface FinishedPlay {
  id: string;
  of: PlayIdentity;
  result: "completed" | "cut" | "failed" | "skipped";
  reason: string | null;
  started: ClockReading;
  ended: ClockReading;
}

/** All that is known of what plays. Immutable: {@link step} makes another. */
export interface PlayState {
  /** The page whose frames count, by when it was opened; null before there was one. */
  page: number | null;
  lastFrame: ClockReading | null;
  /** The stage on the glass, and the one that it took the place of; null where there is none. */
  stage: string | null;
  previousStage: string | null;
  /** Plays that are due or were, by {@link nameOf}. */
  known: ReadonlyMap<string, KnownPlay>;
  /** On the glass, by zone. */
  open: ReadonlyMap<string, OpenPlay>;
}

/**
 * A settled play was presented or has failed. A replaced one is no longer due, since that instant: the page may still
 * tell that it came on just before.
 */
type KnownPlay = PlannedPlay & { settled: boolean; replacedAt: ClockReading | null };

export type PlayInput =
  /** `since`: when what is due now took the place of what was due before. */
  | {
      is: "planned";
      now: ClockReading;
      since: ClockReading;
      stage: string | null;
      zones: readonly { id: string; plays: readonly PlannedPlay[] }[];
    }
  /** A stage took the glass; `showing` is what its first frame shows. */
  | { is: "stage"; key: string; showing: readonly Pick<PlannedPlay, "key" | "of">[]; at: ClockReading }
  /** `play` as the page tells it: what was planned by that name stands for it. */
  | { is: "presented"; play: PlannedPlay; at: ClockReading }
  /** `at`: when it left the glass; null for one that was not on it, or whose picture stays until the next. */
  | { is: "failed"; play: Omit<PlannedPlay, "startsAt" | "endsAt">; code: string; at: ClockReading | null }
  /** Nothing of a zone can be shown: what was on it has left. */
  | { is: "fallback"; stage: string; zoneId: string; at: ClockReading }
  | { is: "frame"; at: ClockReading }
  /** Another picture than a stage was presented. */
  | { is: "screen"; at: ClockReading }
  /** A page has come up, or come back when `openedAt` is that of the one before. */
  | { is: "page"; openedAt: number | null }
  | { is: "stopped"; now: ClockReading };

export const initialPlayState: PlayState = {
  page: null,
  lastFrame: null,
  stage: null,
  previousStage: null,
  known: new Map(),
  open: new Map(),
};

// A play that comes on later than this was not shown from its beginning; one that leaves earlier, not to its end.
const beginToleranceMs = 1_000;
const endToleranceMs = 250;
// The page may still be about to present what should have ended: its own patience is a second.
const skipGraceMs = 3_000;
// An item that comes on with the change of cause comes on in the frame nearest to it: it belongs to the new cause alone.
const frameToleranceMs = 50;

/** What a step leaves: what plays now, and what it finished. */
interface Outcome {
  plays: PlayState;
  done: FinishedPlay[];
}

/** Takes one step. @param makeId names a play. */
export function step(plays: PlayState, event: PlayInput, makeId: () => string): Outcome {
  switch (event.is) {
    case "planned":
      return planned(plays, event, makeId);
    case "stage":
      return staged(plays, event);
    case "presented":
      return presented(plays, event, makeId);
    case "failed":
      return failed(plays, event, makeId);
    case "fallback":
      return fellBack(plays, event);
    case "frame":
      return { plays: { ...plays, lastFrame: event.at }, done: [] };
    case "screen":
      return closeAll({ ...plays, lastFrame: event.at, stage: null, previousStage: plays.stage }, event.at, null);
    case "page":
      // The same page is back after a lost socket: it has played on, and tells what it presented meanwhile.
      if (event.openedAt !== null && event.openedAt === plays.page) return { plays, done: [] };
      return closeAll({ ...plays, page: event.openedAt, stage: null, previousStage: null }, plays.lastFrame, "page-lost");
    case "stopped":
      return closeAll(plays, event.now, "stopped");
  }
}

/** The end of a play. Without a `reason` from outside, its own span says whether it was whole. */
export function closePlay(open: OpenPlay, at: ClockReading, reason: string | null): FinishedPlay {
  const ended = at.mono < open.started.mono ? open.started : at;
  const { id, of, started } = open;
  const about = { id, of, started, ended };
  if (open.trouble !== null) return { ...about, result: "failed", reason: open.trouble };
  const endedEarly = ended.at < open.endsAt - endToleranceMs;
  if (reason !== null && endedEarly) return { ...about, result: "cut", reason };
  if (open.started.at > open.startsAt + beginToleranceMs) return { ...about, result: "cut", reason: "began-late" };
  if (endedEarly) return { ...about, result: "cut", reason: "ended-early" };
  return { ...about, result: "completed", reason: null };
}

function planned(plays: PlayState, { now, since, stage, zones }: Extract<PlayInput, { is: "planned" }>, makeId: () => string) {
  const plan = new Map(zones.flatMap((zone) => zone.plays.map((play) => [nameOf(play), play] as const)));
  const done: FinishedPlay[] = [];
  const known = new Map<string, KnownPlay>();
  for (const [name, play] of plays.known) {
    const { settled, replacedAt } = play;
    const goneAt = replacedAt?.at ?? play.endsAt;
    // Newer words on a play that is not over: a new revision may end it sooner.
    if (plan.has(name)) known.set(name, { ...plan.get(name)!, settled, replacedAt: null });
    else if (replacedAt === null && play.endsAt > now.at) known.set(name, { ...play, replacedAt: since });
    else if (goneAt + skipGraceMs > now.at) known.set(name, play);
    else if (!settled && replacedAt === null) {
      const instant = { at: play.startsAt, mono: now.mono - (now.at - play.startsAt) };
      const seen = plays.lastFrame !== null && plays.lastFrame.at >= play.startsAt;
      done.push({ id: makeId(), of: play.of, result: "skipped", reason: seen ? "not-ready" : "no-page", started: instant, ended: instant });
    }
  }
  for (const [name, play] of plan) if (!known.has(name)) known.set(name, { ...play, settled: false, replacedAt: null });
  let open = plays.open;
  // An emptied zone is cleared by the page at once, and nothing tells of it.
  const emptied = new Set(zones.filter((zone) => zone.plays.length === 0).map(({ id }) => id));
  for (const [zoneId, play] of plays.open) {
    if (play.stage === stage && emptied.has(zoneId)) {
      done.push(closePlay(play, now, null));
      open = without(open, zoneId);
    } else {
      const heir = plan.has(nameOf(play)) ? undefined : heirOf(plan.values(), play);
      if (heir === undefined) continue;
      known.set(nameOf(heir), { ...heir, settled: true, replacedAt: null });
      const next = handOver(play, heir, since, makeId);
      done.push(...next.done);
      open = new Map(open).set(zoneId, next.open);
    }
  }
  return { plays: { ...plays, known, open }, done };
}

function staged(plays: PlayState, { key, showing, at }: Extract<PlayInput, { is: "stage" }>) {
  const done: FinishedPlay[] = [];
  const open = new Map(plays.open);
  for (const [zoneId, play] of plays.open) {
    // The same play on a stage of another geometry goes on: one event, not two.
    if (showing.some((shown) => isSamePlay(shown, play))) open.set(zoneId, { ...play, stage: key });
    else if (play.stage !== key) {
      done.push(closePlay(play, at, null));
      open.delete(zoneId);
    }
  }
  const left = plays.stage === key ? plays.previousStage : plays.stage;
  return { plays: { ...plays, lastFrame: at, stage: key, left, open }, done };
}

function presented(plays: PlayState, { play: told, at }: Extract<PlayInput, { is: "presented" }>, makeId: () => string): Outcome {
  const { zoneId } = told.of;
  if (told.stage !== plays.stage) {
    // It came on while its stage was fading out: the frames count for the next one.
    if (told.stage === plays.previousStage) return { plays: { ...plays, lastFrame: at }, done: [] };
    const arrived = staged(plays, { is: "stage", key: told.stage, showing: [told], at });
    const next = presented(arrived.plays, { is: "presented", play: told, at }, makeId);
    return { plays: next.plays, done: [...arrived.done, ...next.done] };
  }
  const before = plays.open.get(zoneId);
  const planned = plays.known.get(nameOf(told));
  const due = [...plays.known.values()].filter(({ replacedAt }) => replacedAt === null);
  const heir = planned === undefined || planned.replacedAt === null ? undefined : heirOf(due, planned);
  // It is on already, as what it was told as or as what took its place meanwhile.
  if (before !== undefined && (isSamePlay(before, told) || (heir !== undefined && isSamePlay(before, heir)))) {
    return { plays: { ...plays, lastFrame: at }, done: [] };
  }
  const done = before === undefined ? [] : [closePlay(before, at, null)];
  const known = new Map(plays.known);
  if (planned !== undefined) known.set(nameOf(planned), { ...planned, settled: true });
  const { key, stage, startsAt, endsAt, of } = planned ?? told;
  let play: OpenPlay = { id: makeId(), key, stage, startsAt, endsAt, of, started: at, trouble: null };
  if (heir !== undefined) {
    known.set(nameOf(heir), { ...heir, settled: true, replacedAt: null });
    const next = handOver(play, heir, planned!.replacedAt!, makeId);
    done.push(...next.done);
    play = next.open;
  }
  return { plays: { ...plays, lastFrame: at, known, open: new Map(plays.open).set(zoneId, play) }, done };
}

function failed(plays: PlayState, { play: told, code, at }: Extract<PlayInput, { is: "failed" }>, makeId: () => string): Outcome {
  const { zoneId } = told.of;
  const onGlass = plays.open.get(zoneId);
  if (onGlass !== undefined && onGlass.stage === told.stage && onGlass.key === told.key) {
    const open = new Map(plays.open).set(zoneId, { ...onGlass, trouble: onGlass.trouble ?? code });
    const broken = { ...plays, open };
    return at === null ? { plays: broken, done: [] } : fellBack(broken, { is: "fallback", stage: told.stage, zoneId, at });
  }
  const play = plays.known.get(nameOf(told));
  if (play === undefined || play.settled || play.replacedAt !== null) return { plays, done: [] };
  const known = new Map(plays.known).set(nameOf(play), { ...play, settled: true });
  const frame = plays.lastFrame ?? { at: play.startsAt, mono: 0 };
  const due = { at: play.startsAt, mono: frame.mono + play.startsAt - frame.at };
  const done: FinishedPlay = { id: makeId(), of: play.of, result: "failed", reason: code, started: due, ended: due };
  return { plays: { ...plays, known }, done: [done] };
}

function fellBack(plays: PlayState, { stage, zoneId, at }: Extract<PlayInput, { is: "fallback" }>): Outcome {
  const play = plays.open.get(zoneId);
  if (play === undefined || play.stage !== stage) return { plays, done: [] };
  return { plays: { ...plays, open: without(plays.open, zoneId) }, done: [closePlay(play, at, null)] };
}

function closeAll(plays: PlayState, at: ClockReading | null, reason: string | null): Outcome {
  const done = [...plays.open.values()].map((play) => closePlay(play, at ?? play.started, reason));
  return { plays: done.length === 0 ? plays : { ...plays, open: new Map() }, done };
}

/** A play stays on the glass while another cause brings it from `since` on: its time is divided there. */
function handOver(play: OpenPlay, heir: PlannedPlay, since: ClockReading, makeId: () => string): { open: OpenPlay; done: FinishedPlay[] } {
  const { startsAt, endsAt, of } = heir;
  const open = { ...play, startsAt, endsAt, of };
  if (play.started.at > since.at - frameToleranceMs) return { open, done: [] };
  return { open: { ...open, id: makeId(), started: since }, done: [closePlay(play, since, "cause-changed")] };
}

/** Among the plays that are due, the one that goes on in place of `play`: the same one, brought by another cause. */
function heirOf(due: Iterable<PlannedPlay>, play: PlannedPlay): PlannedPlay | undefined {
  const { stage, key, of } = play;
  return Iterator.from(due).find(
    (other) => other.stage === stage && other.key === key && other.of.zoneId === of.zoneId && !isSamePlay(other, play),
  );
}

/** Tells plays apart by all that two events must not share. */
function nameOf({ stage, key, of }: Pick<PlannedPlay, "stage" | "key" | "of">): string {
  return `${stage} ${of.zoneId} ${key} ${formatCause(of)}`;
}

function isSamePlay(one: Pick<PlannedPlay, "key" | "of">, other: Pick<PlannedPlay, "key" | "of">): boolean {
  return one.key === other.key && one.of.zoneId === other.of.zoneId && formatCause(one.of) === formatCause(other.of);
}

function without(open: ReadonlyMap<string, OpenPlay>, zoneId: string): Map<string, OpenPlay> {
  return new Map([...open].filter(([id]) => id !== zoneId));
}
