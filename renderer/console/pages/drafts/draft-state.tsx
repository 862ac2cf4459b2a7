// Where a draft is on its way, as a badge.
import type { DraftEntry } from "../../data/draft.ts";
import { texts } from "../../i18n/texts.ts";

const text = texts("drafts");
const kinds = { open: "off", proposed: "accent", returned: "warn", published: "good" } as const;

export function DraftState({ state }: Pick<DraftEntry, "state">) {
  return (
    <span className="badge" data-kind={kinds[state]}>
      {text("state", { state })}
    </span>
  );
}
