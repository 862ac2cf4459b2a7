// The effect of a change of content on screens: the screens whose plan changes, when first, and the times in which it leaves them empty.
import { iso } from "../../../base/time.ts";
import { maxNamed, type ScheduleEffect } from "../../../protocol/scheduling/timeline.ts";
import type { PlannedInterval } from "../../../schedule/plan.ts";
import type { Db } from "../../store/store.ts";
import type { PlayerRow } from "../../store/tables/fleet.ts";
import { contentReader } from "./content-digest.ts";
import { emptyReasons } from "../forecast/empty-reasons.ts";
import { findLayoutNames } from "../forecast/forecast.ts";
import type { PlanInput } from "../forecast/plan-input.ts";
import { Plans, readInterventions, readScreens, type ScreenState } from "../forecast/plans.ts";
import type { OutlookDependencies } from "../outlook/outlook.ts";
import { takingBack } from "./trial.ts";

/** The screens that a change may concern, by id: as they are without it, and with it. */
interface BeforeAndAfter {
  before: ReadonlyMap<string, ScreenState>;
  after: ReadonlyMap<string, ScreenState>;
}

type Screens = ScheduleEffect["screens"];
type Gaps = ScheduleEffect["gaps"];
type Shown = Screens[number]["before"];

/** A time in which a screen becomes empty. */
interface GapBetween {
  from: number;
  until: number;
  /** The first of the intervals in which it is empty. */
  interval: PlannedInterval;
}

/** How two plans differ. */
interface Difference {
  /** The first instant at which the plans differ, with both intervals; null: the plans show the same. */
  first: { at: number; before: PlannedInterval; after: PlannedInterval } | null;
  gaps: GapBetween[];
}

/** A screen whose plans differ. */
interface DifferingScreen {
  screen: ScreenState;
  was: PlanInput;
  difference: { first: NonNullable<Difference["first"]>; gaps: Difference["gaps"] };
}

// Enough for a month of a change every ten minutes. Later intervals are not compared.
const maxIntervals = 5_000;

/**
 * The effect of a change from `from` to `until`, UTC ms. Screens that are only in one of the maps are left out: they were added or
 * removed by something else.
 * @param db in which the change was made, for the names of new layouts.
 */
async function effectOf(db: Db, screens: BeforeAndAfter, from: number, until: number): Promise<ScheduleEffect> {
  return describe(db, await differingScreens(screens, from, until), from, until);
}

/** The screens that show something else at some time from `from` to `until`, UTC ms. */
export async function differingScreens({ before, after }: BeforeAndAfter, from: number, until: number): Promise<DifferingScreen[]> {
  const plans = new Plans(from, until, maxIntervals);
  const contents = { before: contentReader(), after: contentReader() };
  const known = new Map<PlanInput, Map<PlanInput, Difference>>();
  const differing: DifferingScreen[] = [];
  for (const [id, screen] of after) {
    const was = before.get(id);
    if (was === undefined || was.revision === screen.revision) continue;
    let differences = known.get(was.input);
    if (differences === undefined) known.set(was.input, (differences = new Map()));
    let difference = differences.get(screen.input);
    if (difference === undefined) {
      const [one, other] = [await plans.of(was.input), await plans.of(screen.input)];
      const contentOf = {
        before: (interval: PlannedInterval) => contents.before(was.input, interval),
        after: (interval: PlannedInterval) => contents.after(screen.input, interval),
      };
      differences.set(screen.input, (difference = compare(one, other, contentOf)));
    }
    const { first, gaps } = difference;
    if (first !== null) differing.push({ screen, was: was.input, difference: { first, gaps } });
  }
  return differing;
}

/**
 * The effect of the writes of `write`, which are taken back.
 * @param db an open transaction @param players that it may concern
 */
export async function effectOfTrial(
  services: Pick<OutlookDependencies, "desired" | "presence">,
  db: Db,
  players: readonly PlayerRow[],
  { from, to }: { from: number; to: number },
  write: () => Promise<void>,
): Promise<ScheduleEffect> {
  const interventions = await readInterventions(services, db, players);
  const before = await readScreens(services, db, players, interventions);
  return takingBack(db, async () => {
    await write();
    return effectOf(db, { before, after: await readScreens(services, db, players, interventions) }, from, to);
  });
}

async function describe(db: Db, differing: readonly DifferingScreen[], from: number, until: number): Promise<ScheduleEffect> {
  const ordered = differing.toSorted(
    (a, b) => a.difference.first.at - b.difference.first.at || (a.screen.player.name < b.screen.player.name ? -1 : 1),
  );
  const named = ordered.slice(0, maxNamed);
  const shown = named.flatMap(({ difference: { first } }) => [first.before.layoutId ?? [], first.after.layoutId ?? []].flat());
  const names = await findLayoutNames(db, new Set(shown));
  const reasonOf = await emptyReasons();
  const screens: Screens = named.map(({ screen, was, difference: { first } }) => ({
    ...identityOf(screen),
    first_at: iso(first.at),
    before: { ...shownIn(first.before, was, names), empty_because: reasonOf(was, first.before) },
    after: { ...shownIn(first.after, screen.input, names), empty_because: reasonOf(screen.input, first.after) },
  }));
  const gaps = ordered.flatMap(({ screen, difference }) => difference.gaps.map((gap) => ({ screen, gap })));
  const namedGaps = gaps.toSorted((a, b) => a.gap.from - b.gap.from).slice(0, maxNamed);
  return {
    from: iso(from),
    to: iso(until),
    first_at: screens[0]?.first_at ?? null,
    screen_count: ordered.length,
    screens,
    gap_count: gaps.length,
    gaps: namedGaps.map(({ screen, gap }): Gaps[number] => ({
      ...identityOf(screen),
      from: iso(gap.from),
      to: iso(gap.until),
      // It is empty: the reason is never null.
      empty_because: reasonOf(screen.input, gap.interval)!,
    })),
  };
}

function identityOf({ player, timezone }: ScreenState): { player_id: string; name: string; timezone: string } {
  return { player_id: player.id, name: player.name, timezone };
}

function shownIn(
  { by, layoutId }: PlannedInterval,
  { desired, interventions }: PlanInput,
  names: ReadonlyMap<string, string>,
): Omit<Shown, "empty_because"> {
  const override = interventions.find((each) => each.is === "override" && each.id === by);
  const schedule = desired.schedules.find(({ id }) => id === by);
  // An override that shows an asset has a layout that only the player knows.
  const isAsset = override?.is === "override" && "assetId" in override.show;
  return {
    by: override !== undefined ? "override" : schedule !== undefined ? "schedule" : by === "default" ? "default" : "nothing",
    layout_id: isAsset ? null : layoutId,
    layout_name: isAsset ? null : (names.get(layoutId ?? "") ?? null),
    schedule_name: schedule === undefined ? null : String(schedule["name"]),
  };
}

/** Compares two plans of the same span, instant by instant. */
function compare(
  before: readonly PlannedInterval[],
  after: readonly PlannedInterval[],
  contentOf: Record<"before" | "after", (interval: PlannedInterval) => string>,
): Difference {
  const difference: Difference = { first: null, gaps: [] };
  for (let [one, other] = [0, 0]; one < before.length && other < after.length;) {
    const [was, is] = [before[one]!, after[other]!];
    const [from, until] = [Math.max(was.from, is.from), Math.min(was.until, is.until)];
    if (contentOf.before(was) !== contentOf.after(is)) difference.first ??= { at: from, before: was, after: is };
    if (is.isEmpty && !was.isEmpty) {
      const last = difference.gaps.at(-1);
      if (last?.until === from && isSameGap(last.interval, is)) last.until = until;
      else difference.gaps.push({ from, until, interval: is });
    }
    if (was.until === until) one += 1;
    if (is.until === until) other += 1;
  }
  return difference;
}

/** True if both are empty because nothing is due, or both because of the same layout. */
function isSameGap(a: PlannedInterval, b: PlannedInterval): boolean {
  return a.layoutId === b.layoutId && a.turns.join() === b.turns.join();
}
