// The state of the screen in words: the problem, since when, and the remedy.
import type { RosterPlayer } from "../../../data/roster.ts";
import { readable } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { Age } from "../../../ui/age.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { useTimeZone, type PlayerDetails } from "../data.ts";
import { stateOf } from "../state-of.ts";
import { stateName, stateSentence } from "../state-words.ts";

const text = texts("screen");

export function StateCard({ player, row }: { player: PlayerDetails; row: RosterPlayer }) {
  const timeZone = useTimeZone(player.id);
  const state = stateOf(row);
  const { problems_left_out: leftOut, last_seen_at: lastSeenAt } = player;
  const problems = problemsOf(player, row);
  return (
    <section className="card state-card" data-kind={state.kind} aria-labelledby="state-title">
      <div className="state-head grid middle" role="status">
        <span className="state-dot" data-kind={state.kind} aria-hidden="true" />
        <h2 id="state-title">{stateName(state)}</h2>
        <p>{stateSentence(row, timeZone)}</p>
      </div>
      {problems.length === 0 ? null : (
        <ul className="problem-list stack" aria-label={text("problems")}>
          {problems.map((problem) => (
            <li className="flex gap-3 pad-block-3 line-above break-words" key={problem.key}>
              <Icon name="warning" />
              <div>
                <p className="problem-cause strong">
                  {readable(problem.detail, timeZone)}{" "}
                  {problem.since === null ? null : (
                    <span className="faint">{text.rich("since", { age: <Age key="age" time={problem.since} timeZone={timeZone} /> })}</span>
                  )}
                </p>
                <p>
                  <span className="visually-hidden">{text("remedy")}: </span>
                  {readable(problem.remedy, timeZone)}
                </p>
              </div>
            </li>
          ))}
        </ul>
      )}
      {leftOut > 0 ? <p className="faint">{text("moreProblems", { count: leftOut })}</p> : null}
      <p className="faint">
        {lastSeenAt === null ? text("neverSeen") : text.rich("seen", { age: <Age key="age" time={lastSeenAt} timeZone={timeZone} /> })}
      </p>
    </section>
  );
}

interface ShownProblem {
  key: string;
  detail: string;
  remedy: string;
  /** Null: unknown. */
  since: string | null;
}

/** All problems that the screen has: first those that the service measures by itself, such as heat, which only its row tells. */
function problemsOf(player: PlayerDetails, row: RosterPlayer): readonly ShownProblem[] {
  const playerCodes = new Set<string>(player.problems.map(({ code }) => code));
  const serviceProblems = row.problems.filter(({ code }) => !playerCodes.has(code)).map((problem) => ({ ...problem, key: problem.code }));
  // A short break of the connection is no problem yet.
  const own = player.problems.filter(({ code }) => code !== "offline" || row.state === "offline");
  return [
    ...serviceProblems,
    ...own.map((problem) => ({ ...problem, key: [problem.code, problem.zone_id, problem.item_id, problem.since].join(" ") })),
  ];
}
