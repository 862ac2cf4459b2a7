// Where something that is shown for a time has arrived, as the screens report it.
import { show } from "../../i18n/en/show.ts";
import { texts } from "../../i18n/texts.ts";
import { useShowProof, type ShowProof } from "./shows.ts";

const text = texts(show);
const mostListed = 100;

type Place = ShowProof["players"][number];

const words = { showing: "isShowing", waiting: "isWaiting", offline: "isOffline", failed: "isFailed" } as const;
const kinds = { showing: "good", waiting: "accent", offline: "off", failed: "bad" } as const;

function stateOf({ is_showing, failed, plays }: Place): keyof typeof words {
  if (is_showing === null) return "offline";
  if (is_showing) return "showing";
  return failed > 0 && plays === 0 ? "failed" : "waiting";
}

export function Arrival({ showId }: { showId: string }) {
  const proof = useShowProof(showId);
  if (proof === undefined) return null;
  const places = proof.players.map((place) => ({ ...place, state: stateOf(place) }));
  const total = places.length;
  const count = places.filter(({ state }) => state === "showing").length;
  return (
    <section className="arrival" aria-label={text("arrival")}>
      <p role="status" className="arrival-sum">
        {count === total && total > 0 ? text("arrivedAll", { total }) : text("arrived", { count, total })}
      </p>
      <progress className="arrival-bar" value={count} max={Math.max(total, 1)} aria-hidden="true" />
      <ul className="arrival-list">
        {places.map(({ player_id, name, state }) => (
          <li key={player_id}>
            <span className="target-name">{name}</span>
            <span className="badge" data-kind={kinds[state]}>
              {text(words[state])}
            </span>
          </li>
        ))}
      </ul>
      {total >= mostListed ? <p className="faint">{text("firstHundred")}</p> : null}
    </section>
  );
}
