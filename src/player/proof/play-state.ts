// The state machine of proof of play: takes plans and the page's reports, and returns finished plays. Pure: no clock, no disk.
import { changeCause, closePlay, isSamePlay, playName, successorOf, withoutZone } from "./close-play.ts";
import { reportedPlays, switchDisplay } from "./dark-plays.ts";
import { applyPlan } from "./plan-change.ts";
import {
  becameDue,
  type ClockReading,
  type FinishedPlay,
  type InputOf,
  type MakeId,
  type OpenPlay,
  type PlayInput,
  type PlayState,
  type StepResult,
} from "./play-types.ts";

export function step(before: PlayState, input: PlayInput, makeId: MakeId): StepResult {
  if (input.is === "display") return switchDisplay(before, input, makeId);
  const { plays, done } = stepOnPage(before, input, makeId);
  return { plays, done: reportedPlays(done, plays.dark) };
}

function stepOnPage(plays: PlayState, input: Exclude<PlayInput, { is: "display" }>, makeId: MakeId): StepResult {
  switch (input.is) {
    case "planned":
      return applyPlan(plays, input, makeId);
    case "stage":
      return onStage(plays, input);
    case "presented":
      return onPresented(plays, input, makeId);
    case "failed":
      return onFailed(plays, input, makeId);
    case "fallback":
      return onFallback(plays, input);
    case "frame":
      return { plays: { ...plays, lastFrame: input.at }, done: [] };
    case "screen":
      return closeAll({ ...plays, lastFrame: input.at, stage: null, previousStage: plays.stage }, input.at, null);
    case "page":
      // The same page reconnects after a lost socket. It kept playing and reports the plays that it presented meanwhile.
      if (input.openedAt !== null && input.openedAt === plays.page) return { plays, done: [] };
      return closeAll({ ...plays, page: input.openedAt, stage: null, previousStage: null }, plays.lastFrame, "page-lost");
    case "stopped":
      return closeAll(plays, input.now, "stopped");
  }
}

function onStage(plays: PlayState, { key, showing, at }: InputOf<"stage">): StepResult {
  const done: FinishedPlay[] = [];
  const open = new Map(plays.open);
  for (const [zoneId, play] of plays.open) {
    // A play that continues on a stage of another geometry is one event, not two.
    if (showing.some((shown) => isSamePlay(shown, play))) open.set(zoneId, { ...play, stage: key });
    else if (play.stage !== key) {
      done.push(closePlay(play, at, null));
      open.delete(zoneId);
    }
  }
  const previousStage = plays.stage === key ? plays.previousStage : plays.stage;
  return { plays: { ...plays, lastFrame: at, stage: key, previousStage, open }, done };
}

function onPresented(plays: PlayState, { play: reported, at }: InputOf<"presented">, makeId: MakeId): StepResult {
  const { zoneId } = reported.of;
  if (reported.stage !== plays.stage) {
    // It appeared while its stage was fading out. Those frames belong to the next stage.
    if (reported.stage === plays.previousStage) return { plays: { ...plays, lastFrame: at }, done: [] };
    const arrived = onStage(plays, { is: "stage", key: reported.stage, showing: [reported], at });
    const next = onPresented(arrived.plays, { is: "presented", play: reported, at }, makeId);
    return { plays: next.plays, done: [...arrived.done, ...next.done] };
  }
  const before = plays.open.get(zoneId);
  const planned = plays.known.get(playName(reported));
  const due = [...plays.known.values()].filter(({ replacedAt }) => replacedAt === null);
  const successor = planned === undefined || planned.replacedAt === null ? undefined : successorOf(due, planned);
  // It is already open, either as reported or as the play that replaced it meanwhile.
  if (before !== undefined && (isSamePlay(before, reported) || (successor !== undefined && isSamePlay(before, successor)))) {
    return { plays: { ...plays, lastFrame: at }, done: [] };
  }
  const done = before === undefined ? [] : [closePlay(before, at, null)];
  const known = new Map(plays.known);
  if (planned !== undefined) known.set(playName(planned), { ...planned, settled: true });
  const { key, stage, startsAt, endsAt, of } = planned ?? reported;
  let play: OpenPlay = { id: makeId(), key, stage, startsAt, endsAt, of, started: at, trouble: null };
  if (successor !== undefined) {
    known.set(playName(successor), { ...successor, settled: true, replacedAt: null });
    const next = changeCause(play, successor, planned!.replacedAt!, makeId);
    done.push(...next.done);
    play = next.open;
  }
  return { plays: { ...plays, lastFrame: at, known, open: new Map(plays.open).set(zoneId, play) }, done };
}

function onFailed(plays: PlayState, { play: reported, code, at, now }: InputOf<"failed">, makeId: MakeId): StepResult {
  const { zoneId } = reported.of;
  const current = plays.open.get(zoneId);
  if (current !== undefined && current.stage === reported.stage && current.key === reported.key) {
    const open = new Map(plays.open).set(zoneId, { ...current, trouble: current.trouble ?? code });
    const next = { ...plays, open };
    return at === null ? { plays: next, done: [] } : onFallback(next, { is: "fallback", stage: reported.stage, zoneId, at });
  }
  const play = plays.known.get(playName(reported));
  if (play === undefined || play.settled || play.replacedAt !== null) return { plays, done: [] };
  const known = new Map(plays.known).set(playName(play), { ...play, settled: true });
  const due = becameDue(play, now);
  const done: FinishedPlay = { id: makeId(), of: play.of, result: "failed", reason: code, started: due, ended: due };
  return { plays: { ...plays, known }, done: [done] };
}

function onFallback(plays: PlayState, { stage, zoneId, at }: InputOf<"fallback">): StepResult {
  const play = plays.open.get(zoneId);
  if (play === undefined || play.stage !== stage) return { plays, done: [] };
  return { plays: { ...plays, open: withoutZone(plays.open, zoneId) }, done: [closePlay(play, at, null)] };
}

function closeAll(plays: PlayState, at: ClockReading | null, reason: string | null): StepResult {
  const done = [...plays.open.values()].map((play) => closePlay(play, at ?? play.started, reason));
  return { plays: done.length === 0 ? plays : { ...plays, open: new Map() }, done };
}
