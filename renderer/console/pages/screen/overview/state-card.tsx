// The state of the screen in words: what is wrong, since when, and what to do about it.
import { screen } from "../../../i18n/en/screen.ts";
import { readable } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { Age } from "../../../ui/age.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { useNow } from "../../../ui/now.ts";
import { useTimeZone, type PlayerDetails } from "../data.ts";
import { stateOf } from "../state-of.ts";
import { stateName, stateSentence } from "../state-words.ts";

const text = texts(screen);

export function StateCard({ player }: { player: PlayerDetails }) {
  const timeZone = useTimeZone(player.id);
  const now = useNow();
  const state = stateOf(player, now.getTime());
  const { problems, problems_left_out: leftOut, last_seen_at: seen } = player;
  return (
    <section className="card state-card" data-kind={state.kind} aria-labelledby="state-title">
      <div className="state-head" role="status">
        <span className="state-dot" data-kind={state.kind} aria-hidden="true" />
        <h2 id="state-title">{stateName(state)}</h2>
        <p>{stateSentence(player, timeZone, now.getTime())}</p>
      </div>
      {problems.length === 0 ? null : (
        <ul className="problem-list" aria-label={text("problems")}>
          {problems.map((problem) => (
            <li key={`${problem.code} ${problem.zone_id ?? ""} ${problem.item_id ?? ""} ${problem.since}`}>
              <Icon name="warning" />
              <div>
                <p className="problem-cause">
                  {readable(problem.detail, timeZone)}{" "}
                  <span className="faint">{text.rich("since", { age: <Age key="age" time={problem.since} timeZone={timeZone} /> })}</span>
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
        {seen === null ? text("neverSeen") : text.rich("seen", { age: <Age key="age" time={seen} timeZone={timeZone} /> })}
      </p>
    </section>
  );
}
