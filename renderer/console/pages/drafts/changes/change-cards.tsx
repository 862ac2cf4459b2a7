// The changes of a draft or a version, one below the other: many only as far as a person wants to see.
import { useState, type ReactNode } from "react";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";

const text = texts("changes");
/** A draft holds up to 1,000 changes, of which each is drawn. */
const shownAtFirst = 40;

export function ChangeCards<T>({ changes, card }: { changes: readonly T[]; card: (change: T) => ReactNode }) {
  const [visibleCount, setVisibleCount] = useState(shownAtFirst);
  return (
    <>
      <ul className="stack gap-4">{changes.slice(0, visibleCount).map(card)}</ul>
      {changes.length > visibleCount ? (
        <div className="form-end cluster end gap-3">
          <Button onPress={() => setVisibleCount(visibleCount + 100)}>
            {text("moreChanges", { count: changes.length - visibleCount })}
          </Button>
        </div>
      ) : null}
    </>
  );
}
