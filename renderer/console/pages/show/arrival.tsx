// Where something that is shown for a time has arrived, as the screens report it. Any number of them.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import { texts } from "../../i18n/texts.ts";
import { useReports, useShowProof } from "./show-proof.ts";

const text = texts("show");
/** As in the styles: rows of one height, so that the End key leads to the end at once. */
const rowHeight = 40;

type Place = NonNullable<ReturnType<ReturnType<typeof useReports>>>;

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
  const { player_count: total, showing_count: count } = proof;
  return (
    <section className="stack gap-2" aria-label={text("arrival")}>
      <p role="status" className="arrival-sum">
        {count === total && total > 0 ? text("arrivedAll", { total }) : text("arrived", { count, total })}
      </p>
      <progress className="arrival-bar" value={count} max={Math.max(total, 1)} aria-hidden="true" />
      {total === 0 ? null : <Places showId={showId} total={total} />}
    </section>
  );
}

function Places({ showId, total }: { showId: string; total: number }) {
  const frame = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({ count: total, getScrollElement: () => frame.current, estimateSize: () => rowHeight, overscan: 5 });
  const items = rows.getVirtualItems();
  const reportOf = useReports(
    showId,
    items.map(({ index }) => index),
  );
  return (
    <div ref={frame} className="arrival-list" tabIndex={0} role="region" aria-label={text("arrivalList")}>
      <ul className="relative" style={{ blockSize: rows.getTotalSize() }}>
        {items.map(({ index, start, key }) => {
          const report = reportOf(index);
          const state = report === undefined ? null : stateOf(report);
          return (
            <li
              className="row gap-3 pad-block-1"
              key={key}
              style={{ transform: `translateY(${start}px)` }}
              aria-posinset={index + 1}
              aria-setsize={total}
            >
              <span className="target-name">{report?.name ?? text("reading")}</span>
              {state === null ? null : (
                <span className="badge" data-kind={kinds[state]}>
                  {text(words[state])}
                </span>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
