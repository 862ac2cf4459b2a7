// The timeline as a table of words, some screens at a time.
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { ownTimeZone } from "../../data/zones.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { CardTable } from "../../ui/card-table.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { usePlans, type PlanPlace, type Span } from "./data.ts";
import { piecesOf, type Piece } from "./pieces.ts";
import { shownDays } from "./days.ts";
import type { TimelineScreen } from "./track.tsx";
import { causeOf, spanInWords, whatOf } from "./words.ts";

const text = texts("timeline");
const step = 20;

interface TimelineTableProps {
  screens: readonly TimelineScreen[];
  span: Span;
  firstDay: string;
  dayCount: number;
  isOwnZone: boolean;
  place: PlanPlace;
}

interface Line {
  screen: TimelineScreen;
  piece: Piece;
  timeZone: string;
}

export function TimelineTable({ screens, span, firstDay, dayCount, isOwnZone, place }: TimelineTableProps) {
  const [count, setCount] = useState(step);
  const ids = useMemo(() => screens.map(({ id }) => id), [screens]);
  const { plans, error } = usePlans(ids, 0, Math.min(count, screens.length) - 1, span, place);
  const lines = screens.slice(0, count).flatMap((screen): Line[] => {
    const plan = plans.get(screen.id);
    if (plan === undefined) return [];
    const timeZone = isOwnZone ? ownTimeZone : plan.timezone;
    return piecesOf(plan, shownDays(firstDay, timeZone, dayCount)).map((piece) => ({ screen, piece, timeZone }));
  });
  return (
    <>
      <ProblemMessage error={error} />
      <CardTable
        label={text("rows")}
        items={lines}
        keyOf={({ screen, piece }) => `${screen.id} ${piece.from}`}
        columns={[
          {
            name: text("screen"),
            is: "main",
            cell: ({ screen }) => (
              <Link to="/screens/$id" params={{ id: screen.id }}>
                <bdi>{screen.name}</bdi>
              </Link>
            ),
          },
          { name: text("when"), is: "text", cell: ({ piece, timeZone }) => spanInWords(piece.from, piece.to, timeZone) },
          { name: text("what"), is: "text", cell: ({ piece }) => whatOf(piece.stretch) },
          { name: text("why"), is: "text", cell: ({ piece }) => causeOf(piece.stretch) },
        ]}
      />
      {screens.length > count ? (
        <div className="form-end cluster end gap-3">
          <Button onPress={() => setCount(count + step)}>{text("showMore")}</Button>
        </div>
      ) : null}
    </>
  );
}
