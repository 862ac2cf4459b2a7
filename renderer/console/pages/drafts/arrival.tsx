// Where a version has arrived: on how many screens, and why not on the others.
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { readable } from "../../i18n/format.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Disclosure } from "../../ui/disclosure.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { useArrival, type Arrival as ArrivalData } from "./drafts.ts";

const text = texts("changes");
const kinds = { playing: "good", waiting: "accent", offline: "off", failed: "bad" } as const;
/** Screens for which a person can do something come first. */
const order = ["failed", "offline", "waiting", "playing"] as const;
const shownAtFirst = 50;

type Screen = ArrivalData["screens"][number];

export function Arrival({ number }: { number: number }) {
  const { arrival, error } = useArrival(number);
  return (
    <section className="card stack gap-3" aria-labelledby="arrival-title">
      <h2 id="arrival-title">{text("arrival")}</h2>
      <ProblemMessage error={error} />
      {arrival === undefined ? null : <ArrivalView arrival={arrival} />}
    </section>
  );
}

function ArrivalView({ arrival: { counts, screens } }: { arrival: ArrivalData }) {
  const { playing } = counts;
  const total = screens.length;
  const others = screens.filter(({ state }) => state !== "playing").toSorted((one, other) => rank(one) - rank(other));
  if (total === 0) return <p role="status">{text("arrivalNone")}</p>;
  return (
    <>
      <p role="status" className="effect-sentence">
        <strong>{playing === total ? text("arrivedAll", { total }) : text("arrived", { playing, total })}</strong>
      </p>
      <progress value={playing} max={total} aria-hidden="true" />
      {others.length === 0 ? null : <Screens screens={others} />}
      {playing === 0 ? null : (
        <Disclosure title={text("arrivalPlaying", { count: playing })}>
          <Screens screens={screens.filter(({ state }) => state === "playing")} />
        </Disclosure>
      )}
    </>
  );
}

function rank({ state }: Screen): number {
  return order.indexOf(state);
}

function Screens({ screens }: { screens: readonly Screen[] }) {
  const [visibleCount, setVisibleCount] = useState(shownAtFirst);
  return (
    <>
      <ul className="effect-rows stack lined">
        {screens.slice(0, visibleCount).map(({ player_id: id, name, state, detail }) => (
          <li key={id}>
            <Link to="/screens/$id" params={{ id }}>
              <bdi>{name}</bdi>
            </Link>
            <span className="badge" data-kind={kinds[state]}>
              {text("stateOf", { state })}
            </span>
            {detail === null ? null : <span className="faint">{readable(detail)}</span>}
          </li>
        ))}
      </ul>
      {screens.length > visibleCount ? (
        <Button size="small" onPress={() => setVisibleCount(visibleCount + 100)}>
          {text("showMore")}
        </Button>
      ) : null}
    </>
  );
}
