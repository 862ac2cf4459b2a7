// A playlist: its items in order with their settings, how long a round is, adding and removing. Every change is saved at once.
import { Link, useParams } from "@tanstack/react-router";
import { useMay } from "../../data/session.ts";
import { texts } from "../../i18n/texts.ts";
import { Page } from "../../ui/page.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { EditorView } from "./editor/editor-view.tsx";
import { useEditor } from "./editor/use-editor.ts";
import "./playlists.css";

const text = texts("playlists");

export function PlaylistPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const isReadOnly = !useMay("playlists:write");
  const { editor, name, error } = useEditor(id);
  if (editor !== null) return <EditorView key={id} id={id} editor={editor} name={name ?? ""} error={error} isReadOnly={isReadOnly} />;
  return (
    <Page title={text(error === null ? "loading" : "title")}>
      <p>
        <Link to="/playlists" className="inline-row medium tap">
          {text("back")}
        </Link>
      </p>
      <ProblemMessage error={error} />
    </Page>
  );
}
