// Takes back the last change and makes it again: by buttons, and by keys anywhere on the page.
import { useEffect } from "react";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/icon.tsx";
import type { PlaylistEditor } from "../model/editor.ts";

const text = texts("playlistEditor");

export function UndoButtons({ editor }: { editor: PlaylistEditor }) {
  const { canUndo, canRedo } = editor.view;
  return (
    <div className="cluster gap-2">
      <Button kind="quiet" size="small" isDisabled={!canUndo} aria-label={text("takeBack")} onPress={editor.undo}>
        <Icon name="undo" />
      </Button>
      <Button kind="quiet" size="small" isDisabled={!canRedo} aria-label={text("bringBack")} onPress={editor.redo}>
        <Icon name="redo" />
      </Button>
    </div>
  );
}

/** Ctrl+Z and Ctrl+Y anywhere on the page but in a field, which undoes its own letters. */
export function useUndoKeys(editor: PlaylistEditor, isReadOnly: boolean): void {
  useEffect(() => {
    if (isReadOnly) return undefined;
    const press = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof Element && event.target.closest("input, textarea, [contenteditable]") !== null;
      if (!(event.ctrlKey || event.metaKey) || event.altKey || isTyping || event.defaultPrevented) return;
      const key = event.key.toLowerCase();
      if (key !== "z" && key !== "y") return;
      event.preventDefault();
      if (key === "y" || event.shiftKey) editor.redo();
      else editor.undo();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [editor, isReadOnly]);
}
