// Proof of play as a step machine: plans and what the page presented in, finished plays out. Pure: no clock, no disk.

/** An instant: corrected wall time and the monotonic clock, both in ms. */
export interface Stamp {
  at: number;
  mono: number;
}

/** What a play is a play of. */
export interface PlayOf {
  layoutId: string;
  zoneId: string;
  itemId: string;
  assetId: string | null;
  sha256: string | null;
  revision: string;
}

/** A play that is due at its time. `startsAt` and `endsAt` are its whole span in its loop, corrected wall time in ms. */
export interface PlannedPlay {
  key: string;
  startsAt: number;
  endsAt: number;
  of: PlayOf;
}

/** A play on the glass. Its id is given at its first frame, so that whoever closes it, now or after a crash, closes the same one. */
export interface OpenPlay extends PlannedPlay {
  id: string;
  started: Stamp;
  /** What broke while it was on the glass. */
  trouble: string | null;
}

/** A play that is over. */
export interface DonePlay {
  id: string;
  of: PlayOf;
  result: "completed" | "cut" | "failed" | "skipped";
  reason: string | null;
  started: Stamp;
  ended: Stamp;
}

/** All that is known of what plays. Immutable: {@link step} makes another. */
export interface Plays {
  /** The page whose frames count, by when it was opened; null before there was one. */
  page: number | null;
  lastFrame: Stamp | null;
  /** The zones of the stage that is due. */
  zones: ReadonlySet<string>;
  /** Plays that are due or were, by key; settled ones were presented or have failed. */
  known: ReadonlyMap<string, PlannedPlay & { settled: boolean }>;
  /** On the glass, by zone. */
  open: ReadonlyMap<string, OpenPlay>;
}

export type PlayStep =
  | { is: "planned"; now: Stamp; zones: readonly { id: string; plays: readonly PlannedPlay[] }[] }
  | { is: "presented"; zoneId: string; key: string; at: Stamp }
  /** `at`: when it left the glass; null for one that was not on it, or whose picture stays until the next. */
  | { is: "failed"; key: string; zoneId: string; code: string; at: Stamp | null }
  /** A zone shows no item any more. */
  | { is: "cleared"; zoneId: string; at: Stamp }
  | { is: "frame"; at: Stamp }
  /** Another picture than a stage was presented. */
  | { is: "screen"; at: Stamp }
  /** A page has come up, or come back when `openedAt` is that of the one before. */
  | { is: "page"; openedAt: number | null }
  | { is: "stopped"; now: Stamp };

export const nothingPlays: Plays = { page: null, lastFrame: null, zones: new Set(), known: new Map(), open: new Map() };

// A play that comes on later than this was not shown from its beginning; one that leaves earlier, not to its end.
const beginToleranceMs = 1_000;
const endToleranceMs = 250;
// The page may still be about to present what should have ended: its own patience is a second.
const skipGraceMs = 3_000;

/** Takes one step. @param makeId names a play. */
export function step(plays: Plays, event: PlayStep, makeId: () => string): { plays: Plays; done: DonePlay[] } {
  switch (event.is) {
    case "planned":
      return planned(plays, event, makeId);
    case "presented":
      return presented(plays, event, makeId);
    case "failed":
      return failed(plays, event, makeId);
    case "cleared":
      return cleared(plays, event);
    case "frame":
      return { plays: { ...plays, lastFrame: event.at }, done: [] };
    case "screen":
      return closeAll({ ...plays, lastFrame: event.at }, event.at, null);
    case "page":
      // The same page is back after a lost socket: it has played on, and tells what it presented meanwhile.
      if (event.openedAt !== null && event.openedAt === plays.page) return { plays, done: [] };
      return closeAll({ ...plays, page: event.openedAt }, plays.lastFrame, "page-lost");
    case "stopped":
      return closeAll(plays, event.now, "stopped");
  }
}

/** The end of a play. Without a `reason` from outside, its own span says whether it was whole. */
export function close(open: OpenPlay, at: Stamp, reason: string | null): DonePlay {
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

function planned(plays: Plays, { now, zones }: Extract<PlayStep, { is: "planned" }>, makeId: () => string) {
  const plan = new Map(zones.flatMap((zone) => zone.plays.map((play) => [play.key, play] as const)));
  const done: DonePlay[] = [];
  const known = new Map<string, PlannedPlay & { settled: boolean }>();
  for (const [key, play] of plays.known) {
    // Newer words on a play that is not over: a new revision may end it sooner.
    if (plan.has(key)) known.set(key, { ...plan.get(key)!, settled: play.settled });
    else if (play.endsAt > now.at) continue;
    else if (play.endsAt + skipGraceMs > now.at) known.set(key, play);
    else if (!play.settled) {
      const instant = { at: play.startsAt, mono: now.mono - (now.at - play.startsAt) };
      const seen = plays.lastFrame !== null && plays.lastFrame.at >= play.startsAt;
      done.push({ id: makeId(), of: play.of, result: "skipped", reason: seen ? "not-ready" : "no-page", started: instant, ended: instant });
    }
  }
  for (const [key, play] of plan) if (!known.has(key)) known.set(key, { ...play, settled: false });
  // An emptied zone is cleared by the page at once, and nothing tells of it.
  const emptied = new Set(zones.filter((zone) => zone.plays.length === 0).map(({ id }) => id));
  const cleared = [...plays.open.values()].filter((play) => emptied.has(play.of.zoneId));
  done.push(...cleared.map((play) => close(play, now, null)));
  const open = cleared.length === 0 ? plays.open : new Map([...plays.open].filter(([zoneId]) => !emptied.has(zoneId)));
  return { plays: { ...plays, zones: new Set(zones.map(({ id }) => id)), known, open }, done };
}

function presented(plays: Plays, { zoneId, key, at }: Extract<PlayStep, { is: "presented" }>, makeId: () => string) {
  const open = new Map(plays.open);
  if (open.get(zoneId)?.key === key) return { plays: { ...plays, lastFrame: at }, done: [] };
  const done: DonePlay[] = [];
  for (const [id, play] of plays.open) {
    // The frame that shows the first item of another layout takes the whole stage before it off the glass.
    if (id !== zoneId && plays.zones.has(id)) continue;
    done.push(close(play, at, null));
    open.delete(id);
  }
  const known = new Map(plays.known);
  const play = known.get(key);
  if (play !== undefined) {
    known.set(key, { ...play, settled: true });
    const { startsAt, endsAt, of } = play;
    open.set(zoneId, { id: makeId(), key, startsAt, endsAt, of, started: at, trouble: null });
  }
  return { plays: { ...plays, lastFrame: at, known, open }, done };
}

function cleared(plays: Plays, { zoneId, at }: Extract<PlayStep, { is: "cleared" }>): { plays: Plays; done: DonePlay[] } {
  const onGlass = plays.open.get(zoneId);
  if (onGlass === undefined) return { plays, done: [] };
  const open = new Map(plays.open);
  open.delete(zoneId);
  return { plays: { ...plays, open }, done: [close(onGlass, at, null)] };
}

function failed(plays: Plays, { zoneId, key, code, at }: Extract<PlayStep, { is: "failed" }>, makeId: () => string) {
  const onGlass = plays.open.get(zoneId);
  if (onGlass?.key === key) {
    const open = new Map(plays.open).set(zoneId, { ...onGlass, trouble: onGlass.trouble ?? code });
    const broken = { ...plays, open };
    return at === null ? { plays: broken, done: [] } : cleared(broken, { is: "cleared", zoneId, at });
  }
  const play = plays.known.get(key);
  if (play === undefined || play.settled) return { plays, done: [] };
  const known = new Map(plays.known).set(key, { ...play, settled: true });
  const frame = plays.lastFrame ?? { at: play.startsAt, mono: 0 };
  const due = { at: play.startsAt, mono: frame.mono + play.startsAt - frame.at };
  const done: DonePlay = { id: makeId(), of: play.of, result: "failed", reason: code, started: due, ended: due };
  return { plays: { ...plays, known }, done: [done] };
}

function closeAll(plays: Plays, at: Stamp | null, reason: string | null): { plays: Plays; done: DonePlay[] } {
  const done = [...plays.open.values()].map((play) => close(play, at ?? play.started, reason));
  return { plays: done.length === 0 ? plays : { ...plays, open: new Map() }, done };
}
