// How many items there are, and whether they are saved.
import { useDraft, useNeedsApproval } from "../../../data/draft.ts";
import { texts } from "../../../i18n/texts.ts";
import type { PlaylistEditor } from "../model/editor.ts";

const text = texts("drafts", "playlists", "playlistEditor");
const words = { saved: "saved", saving: "saving", conflict: "notSaved", failed: "notSaved" } as const;

export function SaveStatus({ editor }: { editor: PlaylistEditor }) {
  const { rows, state, faults } = editor.view;
  const isInDraft = useDraft() !== null;
  const needsApproval = useNeedsApproval();
  const count = text("items", { count: rows.length });
  // Changes that such a person saves do not reach screens.
  const isUntouched = state === "saved" && needsApproval && !isInDraft;
  const status =
    state === "incomplete"
      ? text("incomplete", { count: faults.size })
      : text(state === "saved" && isInDraft ? "savedInDraft" : words[state]);
  return (
    <p role="status" className="faint save-status" data-state={state}>
      {isUntouched ? count : `${count} · ${status}`}
    </p>
  );
}
