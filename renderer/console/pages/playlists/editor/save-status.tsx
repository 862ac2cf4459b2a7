// How many items there are, and whether they are saved.
import { playlistEditor } from "../../../i18n/en/playlist-editor.ts";
import { playlists } from "../../../i18n/en/playlists.ts";
import { texts } from "../../../i18n/texts.ts";
import type { PlaylistEditor } from "../model/editor.ts";

const text = texts({ ...playlists, ...playlistEditor });
const words = { saved: "saved", saving: "saving", conflict: "notSaved", failed: "notSaved" } as const;

export function SaveStatus({ editor }: { editor: PlaylistEditor }) {
  const { rows, state, faults } = editor.view;
  const saved = state === "incomplete" ? text("incomplete", { count: faults.size }) : text(words[state]);
  return (
    <p role="status" className="faint save-status" data-state={state}>
      {`${text("items", { count: rows.length })} · ${saved}`}
    </p>
  );
}
