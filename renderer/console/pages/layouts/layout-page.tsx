// The editor of a layout: its stage, its tools, and the settings of the selection.
import { Link, useParams } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { enterDraft, useDraft, useNeedsApproval } from "../../data/draft.ts";
import { useMay } from "../../data/session.ts";
import { ownTimeZone } from "../../data/zones.ts";
import { texts } from "../../i18n/texts.ts";
import { PreviewControls } from "../../preview/preview-controls.tsx";
import { Button } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { ShownOn } from "../uses/shown-on.tsx";
import { VersionsLink } from "../drafts/editor-links.tsx";
import { SaveToDraft } from "../drafts/save-to-draft.tsx";
import { isDirty, discard, redoStep, undoStep, type Editor } from "./model/editor.ts";
import { zoneOf, type EditedLayout } from "./model/edited-layout.ts";
import { ArrangeTools } from "./panel/arrange-tools.tsx";
import { Conflicts } from "./panel/conflicts.tsx";
import { LayoutPanel } from "./panel/layout-panel.tsx";
import { LayoutToolbar } from "./panel/layout-toolbar.tsx";
import { ZoneList } from "./panel/zone-list.tsx";
import { ZonePanel } from "./panel/zone-panel.tsx";
import { useStageRules } from "./stage-rules.ts";
import { Stage } from "./stage/stage.tsx";
import { useDrag } from "./stage/use-drag.ts";
import { useLayoutPreview } from "./stage/use-layout-preview.ts";
import { useLayoutEditor, type LayoutEditor } from "./use-editor.ts";
import { actText, selectionText } from "./words.ts";
import "./layouts.css";
import "./panel/panel.css";

const text = texts("layouts");

export function LayoutPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const mayWrite = useMay("layouts:write");
  const layoutEditor = useLayoutEditor(id);
  const { editor, error } = layoutEditor;
  const name = editor?.history.present.name ?? text(error === null ? "loading" : "title");
  return (
    <Page title={name} actions={editor === undefined || !mayWrite ? null : <SaveButtons {...layoutEditor} editor={editor} />}>
      <div className="layout-bar cluster between gap-2-4 near-title">
        <Link to="/layouts" className="inline-row medium tap">
          {text("back")}
        </Link>
        <div className="layout-facts cluster gap-2-4">
          {editor === undefined ? null : <ShownOn kind="layouts" id={id} />}
          <VersionsLink id={id} />
          <SaveStatus layoutEditor={layoutEditor} />
        </div>
      </div>
      <ProblemMessage error={error} />
      {editor === undefined ? null : <Workspace key={id} id={id} layoutEditor={layoutEditor} editor={editor} isReadOnly={!mayWrite} />}
    </Page>
  );
}

function SaveStatus({ layoutEditor: { editor, isSaving } }: { layoutEditor: LayoutEditor }) {
  const isForScreens = [useDraft() === null, !useNeedsApproval()].every(Boolean);
  const badge = isForScreens ? "notSaved" : "unsaved";
  const state = editor === undefined ? null : isSaving ? "saving" : isDirty(editor) ? badge : "saved";
  return (
    <p role="status" className="faint save-status" data-state={state === "unsaved" ? "notSaved" : state}>
      {state === null ? null : text(state)}
    </p>
  );
}

function SaveButtons({ editor, change, save, isSaving }: LayoutEditor & { editor: Editor }) {
  const isUnsaved = isDirty(editor);
  return (
    <>
      <Button isDisabled={!isUnsaved || isSaving} onPress={() => change((now) => discard(now, Date.now()))}>
        {text("discard")}
      </Button>
      <SaveToDraft
        name={editor.base.name}
        isSaving={isUnsaved}
        isDisabled={isSaving || editor.conflicts.length > 0}
        run={async (draft) => {
          // The edited layout is kept, and is there in the draft too.
          await enterDraft(draft);
          save();
        }}
      />
      <Button kind="primary" isDisabled={!isUnsaved || editor.conflicts.length > 0} isPending={isSaving} onPress={save}>
        {text("save")}
      </Button>
    </>
  );
}

interface WorkspaceProps {
  id: string;
  layoutEditor: LayoutEditor;
  editor: Editor;
  isReadOnly: boolean;
}

function Workspace({ id, layoutEditor: { change, save }, editor, isReadOnly }: WorkspaceProps) {
  const [rules, setRules] = useStageRules();
  const [announcement, setAnnouncement] = useState("");
  const workspace = useRef<HTMLDivElement>(null);
  const focusZone = useZoneFocus(workspace, editor);
  usePageKeys({ editor, change, save, isReadOnly, say: setAnnouncement });
  const stage = useRef<HTMLDivElement>(null);
  const onDone = (result: EditedLayout, keys: readonly string[]): void => setAnnouncement(selectionText(result, keys));
  const drag = useDrag({ stage, editor, rules, isReadOnly, change, onDone });
  const preview = useLayoutPreview(id, editor.history.present);
  const layout = drag?.layout ?? editor.history.present;
  const [firstZone, ...others] = editor.selected.flatMap((key) => zoneOf(layout, key) ?? []);
  return (
    <div className="layout-workspace grid top gap-4" ref={workspace}>
      <Conflicts id={id} editor={editor} change={change} />
      <div className="stack gap-3 shrink">
        <LayoutToolbar editor={editor} rules={rules} onRules={setRules} isReadOnly={isReadOnly} change={change} focusZone={focusZone} />
        <Stage
          stage={stage}
          editor={editor}
          drag={drag}
          rules={rules}
          preview={preview}
          isReadOnly={isReadOnly}
          change={change}
          say={setAnnouncement}
        />
        {preview === null ? null : (
          <div role="group" aria-label={text("previewOf", { name: layout.name })}>
            <PreviewControls time={preview.time} timeZone={ownTimeZone} isDisabled={false} isShort />
          </div>
        )}
      </div>
      <aside className="layout-panel stack box shrink lined" aria-label={text("settings")}>
        <section className="panel-section stack gap-3 pad-4">
          <h2 className="truncate">
            {firstZone === undefined
              ? text("wholeLayout")
              : others.length === 0
                ? firstZone.name
                : text("selectedCount", { count: others.length + 1 })}
          </h2>
          {firstZone === undefined || isReadOnly ? null : <ArrangeTools selected={editor.selected} change={change} />}
          {firstZone === undefined ? <LayoutPanel key={editor.etag} layout={layout} isReadOnly={isReadOnly} change={change} /> : null}
          {firstZone !== undefined && others.length === 0 ? (
            <ZonePanel key={firstZone.key} zone={firstZone} layout={layout} isReadOnly={isReadOnly} change={change} />
          ) : null}
        </section>
        <section className="panel-section stack gap-3 pad-4">
          <h2 className="truncate">{text("zones")}</h2>
          <ZoneList editor={editor} isReadOnly={isReadOnly} change={change} />
        </section>
      </aside>
      <p role="status" className="visually-hidden">
        {announcement}
      </p>
    </div>
  );
}

/** Focuses a zone that was just made, so that the keys are about it. */
function useZoneFocus(workspace: { current: HTMLElement | null }, editor: Editor): (key: string) => void {
  const [focusKey, setFocusKey] = useState<string | null>(null);
  useEffect(() => {
    if (focusKey === null) return;
    workspace.current?.querySelector<HTMLElement>(`[data-zone="${CSS.escape(focusKey)}"]`)?.focus();
    setFocusKey(null);
  }, [focusKey, workspace, editor]);
  return setFocusKey;
}

interface PageKeys extends Pick<LayoutEditor, "change" | "save"> {
  editor: Editor;
  isReadOnly: boolean;
  say: (words: string) => void;
}

/** Ctrl or ⌘ with S saves, with Z and Y undoes and redoes, wherever the focus is but in a text. */
function usePageKeys(options: PageKeys): void {
  const latest = useRef(options);
  latest.current = options;
  useEffect(() => {
    const listening = new AbortController();
    const onKeyDown = (event: KeyboardEvent): void => {
      const { editor, change, save, isReadOnly, say } = latest.current;
      if (isReadOnly || !(event.ctrlKey || event.metaKey) || event.altKey || document.querySelector("[role=dialog]") !== null) return;
      const key = event.key.toLowerCase();
      if (key === "s") {
        event.preventDefault();
        if (editor.conflicts.length === 0) save();
        return;
      }
      // In a text, these keys undo and redo the typing there.
      if (event.target instanceof Element && event.target.closest("input, textarea") !== null) return;
      const isRedo = key === "y" || (key === "z" && event.shiftKey);
      if (!isRedo && key !== "z") return;
      event.preventDefault();
      const act = isRedo ? editor.history.future[0]?.label : editor.history.past.at(-1)?.label;
      if (act === undefined) return;
      change(isRedo ? redoStep : undoStep);
      say(text(isRedo ? "redone" : "undone", { act: actText(act) }));
    };
    document.addEventListener("keydown", onKeyDown, { signal: listening.signal });
    return () => listening.abort();
  }, []);
}
