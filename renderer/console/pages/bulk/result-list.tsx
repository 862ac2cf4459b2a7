// The result of an action for each screen: failures first. Any number of them.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import { readable } from "../../i18n/format.ts";
import { texts } from "../../i18n/texts.ts";
import type { Outcome, OutcomeState } from "./outcomes.ts";
import { ScreenName } from "./screen-name.tsx";

const text = texts("bulk");
const order: readonly OutcomeState[] = ["failed", "skipped", "running", "delivered", "queued", "waiting", "done"];
const states = {
  failed: { name: "stateFailed", kind: "bad" },
  skipped: { name: "stateSkipped", kind: "warn" },
  running: { name: "stateRunning", kind: "accent" },
  delivered: { name: "stateDelivered", kind: "accent" },
  queued: { name: "stateQueued", kind: "off" },
  waiting: { name: "stateWaiting", kind: "off" },
  done: { name: "stateDone", kind: "good" },
} as const;

export function ResultList({ outcomes }: { outcomes: readonly Outcome[] }) {
  const frame = useRef<HTMLDivElement>(null);
  const sortedOutcomes = outcomes.toSorted((one, other) => order.indexOf(one.state) - order.indexOf(other.state));
  const rows = useVirtualizer({
    count: sortedOutcomes.length,
    getScrollElement: () => frame.current,
    estimateSize: () => 44,
    getItemKey: (index) => sortedOutcomes[index]!.id,
    overscan: 5,
  });
  const count = (...names: readonly OutcomeState[]): number => outcomes.filter(({ state }) => names.includes(state)).length;
  const [doneCount, failureCount, skipCount] = [count("done"), count("failed"), count("skipped")];
  const open = outcomes.length - doneCount - failureCount - skipCount;
  return (
    <>
      <div role="status">
        <p>
          <strong>
            {failureCount + skipCount === 0
              ? text("resultAll", { done: doneCount })
              : text("resultSome", { done: doneCount, failed: failureCount + skipCount })}
          </strong>
          {open === 0 ? null : ` ${text("resultOpen", { open })}`}
        </p>
      </div>
      {open === 0 ? null : (
        <progress
          className="bulk-progress"
          max={outcomes.length}
          value={outcomes.length - open}
          aria-label={text("running", { done: outcomes.length - open, all: outcomes.length })}
        />
      )}
      <div ref={frame} className="bulk-results outlined rounded" tabIndex={0} role="region" aria-label={text("results")}>
        <ul style={{ blockSize: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, start, key }) => {
            const { id, state, reason } = sortedOutcomes[index]!;
            return (
              <li
                className="cluster between gap-1-3"
                key={key}
                ref={rows.measureElement}
                data-index={index}
                style={{ transform: `translateY(${start}px)` }}
                aria-posinset={index + 1}
                aria-setsize={sortedOutcomes.length}
              >
                <span className="truncate grow shrink">
                  <ScreenName id={id} />
                </span>
                <span className="badge" data-kind={states[state].kind}>
                  {text(states[state].name)}
                </span>
                {reason === null ? null : <p className="small soft break-words">{readable(reason)}</p>}
              </li>
            );
          })}
        </ul>
      </div>
    </>
  );
}
