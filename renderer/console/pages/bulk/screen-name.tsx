// The name of a screen of which only the id is known.
import { useRoster, useRosterRow } from "../../data/roster.ts";
import { texts } from "../../i18n/texts.ts";

const text = texts("bulk");

/** The name of a screen; null: it is not known yet. */
export function useScreenName(id: string): string | null {
  const { isComplete } = useRoster();
  const name = useRosterRow(id)?.name;
  return name ?? (isComplete ? text("gone") : null);
}

export function ScreenName({ id }: { id: string }) {
  return <bdi className="bulk-name break-words">{useScreenName(id) ?? "…"}</bdi>;
}
