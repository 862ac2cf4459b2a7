// The head above the list: adding items, a draft, the playlist as a whole, and where it is shown. It stays while items change.
import { memo } from "react";
import { enterDraft } from "../../../data/draft.ts";
import { useIsPhone } from "../../../ui/use-media.ts";
import { VersionsLink } from "../../drafts/editor-links.tsx";
import { SaveToDraft } from "../../drafts/save-to-draft.tsx";
import { ShownOn } from "../../uses/shown-on.tsx";
import type { PlaylistEditor } from "../model/editor.ts";
import type { Item } from "../../../items/item.ts";
import { AddItems } from "./add-items.tsx";
import { PlaylistMenu } from "./playlist-menu.tsx";

interface EditorActionsProps {
  id: string;
  name: string;
  editor: PlaylistEditor;
  onAdd: (items: readonly Item[]) => void;
}

/** On a phone, items are added below the list, and all else is in one menu. */
export const EditorActions = memo(function EditorActions({ id, name, editor, onAdd }: EditorActionsProps) {
  const isPhone = useIsPhone();
  return (
    <>
      {isPhone ? null : (
        <>
          <SaveToDraft name={name} isSaving={false} run={enterDraft} />
          <AddItems onAdd={onAdd} />
        </>
      )}
      <PlaylistMenu id={id} name={name} editor={editor} hasDraft={isPhone} />
    </>
  );
});

export const EditorLinks = memo(function EditorLinks({ id }: { id: string }) {
  return (
    <>
      <ShownOn kind="playlists" id={id} />
      <VersionsLink id={id} />
    </>
  );
});
