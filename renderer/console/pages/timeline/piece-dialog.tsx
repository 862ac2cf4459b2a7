// A piece of the timeline: its content, the reason for it, and where to go on from there.
import { Link } from "@tanstack/react-router";
import { iso } from "../../../../src/base/time.ts";
import { useMay } from "../../data/session.ts";
import { localValueOf } from "../../data/zones.ts";
import { texts } from "../../i18n/texts.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { isGap } from "./pieces.ts";
import type { PieceSelection } from "./track.tsx";
import { causeOf, spanInWords, whatOf } from "./words.ts";

const text = texts("timeline");

export function PieceDialog({
  selection: { screen, piece, timeZone, change },
  onClose,
}: {
  selection: PieceSelection;
  onClose: () => void;
}) {
  const { stretch, from, to } = piece;
  // Something is planned for this time already: only its items are missing.
  const layoutToFill = stretch.empty_because === "no-items" ? stretch.layout_id : null;
  const mayPlan = useMay("schedules:write");
  const mayPreview = useMay("assets:read");
  const [at, until] = [iso(from), iso(to)];
  return (
    <Dialog
      title={whatOf(stretch)}
      isOpen
      onClose={onClose}
      size="small"
      actions={
        <>
          {layoutToFill !== null ? (
            <Link to="/layouts/$id" params={{ id: layoutToFill }} className="button" data-kind="primary" data-size="medium">
              {text("openLayout")}
            </Link>
          ) : isGap(stretch) && mayPlan ? (
            <Link
              to="/schedules/new"
              search={{ screen: screen.id, from: localValueOf(at, timeZone), until: localValueOf(until, timeZone) }}
              className="button"
              data-kind="primary"
              data-size="medium"
            >
              {text("fillGap")}
            </Link>
          ) : null}
          <Link to="/screens/$id" params={{ id: screen.id }} search={{ at }} className="button" data-kind="plain" data-size="medium">
            {text("openScreen")}
          </Link>
          {mayPreview ? (
            <Link
              to="/screens/$id"
              params={{ id: screen.id }}
              search={{ tab: "preview", at: seenAt(from, to) }}
              className="button"
              data-kind="plain"
              data-size="medium"
            >
              {text("openPreview")}
            </Link>
          ) : null}
          {stretch.schedule_id === null ? null : (
            <Link
              to="/schedules/$id"
              params={{ id: stretch.schedule_id }}
              className="button"
              data-kind={layoutToFill === null ? "primary" : "plain"}
              data-size="medium"
            >
              {text("openSchedule")}
            </Link>
          )}
        </>
      }
    >
      <p>{text("details", { screen: screen.name, span: spanInWords(from, to, timeZone) })}</p>
      <p className="faint">{causeOf(stretch)}</p>
      {change === "items" ? <p>{text("itemsChange")}</p> : null}
    </Dialog>
  );
}

/** An instant at which the piece is to be seen, after a transition if it lasts long enough. */
function seenAt(from: number, to: number): string {
  return iso(Math.min(from + 10_000, (from + to) / 2));
}
