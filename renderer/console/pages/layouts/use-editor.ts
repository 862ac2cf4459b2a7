// A layout while a person edits it: kept when the page is left, merged with the changes of others, saved on request.
import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { storeEdit, unsavedEdit, useUnsavedEdit } from "../../data/unsaved-edits.ts";
import { queryClient, readAgain } from "../../data/query-client.ts";
import { isConflict, layoutQuery, saveLayout } from "./layouts.ts";
import { toChange } from "./model/edited-layout.ts";
import { isDirty, openEditor, receive, confirmSave, type Editor } from "./model/editor.ts";

export interface LayoutEditor {
  /** Undefined: it is being read, or cannot be. */
  editor: Editor | undefined;
  change: (update: (editor: Editor) => Editor) => void;
  save: () => void;
  isSaving: boolean;
  /** Why the layout cannot be read, or not be saved. */
  error: unknown;
}

/** Other people may save at the same time: after so many merges a person decides whether to try again. */
const mostMerges = 3;

export function useLayoutEditor(id: string): LayoutEditor {
  const { data: current, error } = useQuery(layoutQuery(id));
  const editor = useUnsavedEdit(id) as Editor | undefined;
  const [isSaving, setIsSaving] = useState(false);
  const [saveError, setSaveError] = useState<unknown>(null);
  const change = useCallback((update: (editor: Editor) => Editor): void => changeEdit(id, update), [id]);
  useEffect(() => {
    // While saving, a newer version waits: the editor takes it in when saving has ended.
    if (current === undefined || isSaving) return;
    if (unsavedEdit(id) === undefined) storeEdit(id, openEditor(current));
    else change((now) => receive(now, current));
  }, [id, current, isSaving, change]);
  useEffect(() => () => forgetUnchanged(id), [id]);
  useWarning(editor !== undefined && isDirty(editor));
  const saves = useRef(false);
  const save = useCallback((): void => {
    if (saves.current) return;
    saves.current = true;
    setIsSaving(true);
    setSaveError(null);
    saveEdit(id)
      .catch(setSaveError)
      .finally(() => {
        saves.current = false;
        setIsSaving(false);
      });
  }, [id]);
  return { editor, change, save, isSaving, error: error ?? saveError };
}

function changeEdit(id: string, update: (editor: Editor) => Editor): void {
  const editor = unsavedEdit(id) as Editor | undefined;
  const next = editor === undefined ? undefined : update(editor);
  if (next !== editor) storeEdit(id, next);
}

/** There is nothing to come back to. */
function forgetUnchanged(id: string): void {
  const editor = unsavedEdit(id) as Editor | undefined;
  if (editor !== undefined && !isDirty(editor)) storeEdit(id, undefined);
}

function useWarning(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isUnsaved]);
}

/** Saves the edited layout, together with changes that others have saved meanwhile. It stops where a person must decide. */
async function saveEdit(id: string): Promise<void> {
  for (let merges = 0; ; merges += 1) {
    const editor = unsavedEdit(id) as Editor | undefined;
    if (editor === undefined || editor.conflicts.length > 0) return;
    const request = editor.history.present;
    const body = toChange(editor.base, request, editor.ids);
    if (body === null) return;
    try {
      const response = await saveLayout(id, body, editor.etag);
      // It became a proposal, which has no version. The person goes on there, and this page begins anew.
      if (response.etag === "") {
        storeEdit(id, undefined);
        return;
      }
      // An answer that is on its way may be older.
      await queryClient.cancelQueries({ queryKey: layoutQuery(id).queryKey });
      queryClient.setQueryData(layoutQuery(id).queryKey, response);
      changeEdit(id, (now) => confirmSave(now, request, response));
      return;
    } catch (error) {
      if (!isConflict(error) || merges >= mostMerges) throw error;
      const fresh = await readAgain(layoutQuery(id));
      changeEdit(id, (now) => receive(now, fresh));
    }
  }
}
