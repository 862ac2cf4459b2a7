// Applies a new plan to the state of proof of play: replaces due plays, finds skipped ones, and gives open plays a new cause. Pure.
import { changeCause, closePlay, playName, successorOf, withoutZone } from "./close-play.ts";
import { becameDue, type FinishedPlay, type InputOf, type KnownPlay, type MakeId, type PlayState, type StepResult } from "./play-types.ts";

// How long the page may still present a play after its end, before the play counts as skipped. The page waits a second.
const skipGraceMs = 3_000;

export function applyPlan(plays: PlayState, input: InputOf<"planned">, makeId: MakeId): StepResult {
  const { now, since, stage, zones } = input;
  const plan = new Map(zones.flatMap((zone) => zone.plays.map((play) => [playName(play), play] as const)));
  const done: FinishedPlay[] = [];
  const known = new Map<string, KnownPlay>();
  for (const [name, play] of plays.known) {
    const { settled, replacedAt } = play;
    const goneAt = replacedAt?.at ?? play.endsAt;
    const again = plan.get(name);
    const knownSince = again?.of.revision === play.of.revision ? play.knownSince : now.mono;
    // The new plan may change the end of a current play.
    if (again !== undefined) known.set(name, { ...again, settled, replacedAt: null, knownSince });
    else if (replacedAt === null && play.endsAt > now.at) known.set(name, { ...play, replacedAt: since });
    else if (goneAt + skipGraceMs > now.at) known.set(name, play);
    else if (!settled && replacedAt === null) done.push(skippedPlay(plays, play, input, makeId));
  }
  for (const [name, play] of plan)
    if (!known.has(name)) known.set(name, { ...play, settled: false, replacedAt: null, knownSince: now.mono });
  // Unchanged unless a play ends or changes: the caller compares it with the one before.
  let { open } = plays;
  // The page clears an emptied zone at once and does not report it.
  const emptied = new Set(zones.filter((zone) => zone.plays.length === 0).map(({ id }) => id));
  for (const [zoneId, play] of plays.open) {
    if (play.stage === stage && emptied.has(zoneId)) {
      done.push(closePlay(play, now, null));
      open = withoutZone(open, zoneId);
    } else {
      const successor = plan.has(playName(play)) ? undefined : successorOf(plan.values(), play);
      if (successor === undefined) continue;
      known.set(playName(successor), { ...successor, settled: true, replacedAt: null, knownSince: now.mono });
      const next = changeCause(play, successor, since, makeId);
      done.push(...next.done);
      open = new Map(open).set(zoneId, next.open);
    }
  }
  return { plays: { ...plays, known, open }, done };
}

/** A play that was due and never presented. */
function skippedPlay({ lastFrame }: PlayState, play: KnownPlay, { now }: InputOf<"planned">, makeId: MakeId): FinishedPlay {
  const instant = becameDue(play, now);
  const hadFrames = lastFrame !== null && lastFrame.mono >= instant.mono;
  return { id: makeId(), of: play.of, result: "skipped", reason: hadFrames ? "not-ready" : "no-page", started: instant, ended: instant };
}
