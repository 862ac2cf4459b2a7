// The actions on the playlist as a whole: another name, a copy, the bin; on a phone also a draft.
import { useNavigate } from "@tanstack/react-router";
import { memo, useState } from "react";
import { client } from "../../../data/client.ts";
import { enterDraft } from "../../../data/draft.ts";
import { useAct } from "../../../data/use-act.ts";
import { texts } from "../../../i18n/texts.ts";
import { MenuButton } from "../../../ui/menu-button.tsx";
import { NameDialog } from "../../../ui/name-dialog.tsx";
import { SaveToDraftDialog, titleOf, useMaySaveToDraft } from "../../drafts/save-to-draft.tsx";
import type { PlaylistEditor } from "../model/editor.ts";

const text = texts("playlists", "playlistEditor");

interface PlaylistMenuProps {
  id: string;
  name: string;
  editor: PlaylistEditor;
  /** True if the menu offers to begin a draft: where there is no room for a button. */
  hasDraft: boolean;
}

export const PlaylistMenu = memo(function PlaylistMenu({ id, name, editor, hasDraft }: PlaylistMenuProps) {
  const navigate = useNavigate();
  const maySaveToDraft = useMaySaveToDraft();
  const [open, setOpen] = useState<"rename" | "copy" | "draft" | null>(null);
  const params = { path: { id } };
  const removing = useAct({
    run: async () => {
      // This page would ask for a playlist that is no longer there.
      await navigate({ to: "/playlists" });
      await client.delete("/api/v1/playlists/{id}", { params });
    },
    changes: ["playlists"],
    toast: () => ({ message: text("playlistDeleted", { name }), undo: () => client.post("/api/v1/playlists/{id}/restore", { params }) }),
  });
  const close = (): void => setOpen(null);
  const renaming = useAct({
    run: async (input: string) => {
      await client.patch("/api/v1/playlists/{id}", { params, body: { name: input } });
    },
    changes: ["playlists"],
    after: close,
    showsErrors: true,
  });
  const copying = useAct({
    run: async (input: string) => {
      const items = editor.view.rows.map(({ item }) => item);
      return (await client.post("/api/v1/playlists", { body: { name: input, items } })).data;
    },
    changes: ["playlists"],
    after: (copy) => {
      close();
      void navigate({ to: "/playlists/$id", params: { id: copy.id } });
    },
    showsErrors: true,
  });
  const actions = [
    ...(hasDraft && maySaveToDraft ? [{ name: titleOf(false), run: () => setOpen("draft") }] : []),
    { name: text("rename"), run: () => setOpen("rename") },
    { name: text("copyPlaylist"), run: () => setOpen("copy") },
    { name: text("deletePlaylist"), run: () => removing.mutate(), kind: "danger" as const },
  ];
  return (
    <>
      <MenuButton label={text("playlistMore", { name })} actions={actions} />
      <NameDialog
        title={text("rename")}
        label={text("playlistName")}
        name={name}
        action={text("renameDo")}
        isOpen={open === "rename"}
        onClose={close}
        act={renaming}
      />
      <NameDialog
        title={text("copyPlaylist")}
        label={text("playlistName")}
        name={text("copyName", { name }).slice(0, 200)}
        action={text("copyDo")}
        isOpen={open === "copy"}
        onClose={close}
        act={copying}
      />
      {open === "draft" ? <SaveToDraftDialog name={name} isSaving={false} run={enterDraft} onClose={close} /> : null}
    </>
  );
});
