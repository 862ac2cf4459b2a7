// The tools above the stage: steps, zones, the other orientation, and the lines that the stage shows and snaps to.
import { Toolbar } from "react-aria-components";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { copiesOf, newKey } from "../new-key.ts";
import { edit, redoStep, undoStep, type Editor } from "../model/editor.ts";
import { mostZones } from "../model/edited-layout.ts";
import { otherOrientation } from "../model/orientation.ts";
import { addZone, duplicateZones, removeZones } from "../model/zones.ts";
import type { StageRules } from "../stage/use-drag.ts";
import { actText } from "../words.ts";
import { ToggleTool, Tool } from "./tool.tsx";

const text = texts("layouts");

interface LayoutToolbarProps {
  editor: Editor;
  rules: StageRules;
  onRules: (rules: StageRules) => void;
  isReadOnly: boolean;
  change: (update: (editor: Editor) => Editor) => void;
  /** Focuses a zone on the stage as soon as it is there. */
  focusZone: (key: string) => void;
}

export function LayoutToolbar({ editor, rules, onRules, isReadOnly, change, focusZone }: LayoutToolbarProps) {
  return (
    <Toolbar className="cluster gap-2" aria-label={text("tools")}>
      {isReadOnly ? null : <EditTools editor={editor} change={change} focusZone={focusZone} />}
      <span className="tool-group" role="group" aria-label={text("view")}>
        <ToggleTool name={text("grid")} icon="grid" isOn={rules.hasGrid} onChange={(hasGrid) => onRules({ ...rules, hasGrid })} />
        <ToggleTool
          name={text("safeArea")}
          icon="safeArea"
          isOn={rules.hasSafeArea}
          onChange={(hasSafeArea) => onRules({ ...rules, hasSafeArea })}
        />
        {isReadOnly ? null : (
          <ToggleTool name={text("snap")} icon="magnet" isOn={rules.snaps} onChange={(snaps) => onRules({ ...rules, snaps })} />
        )}
      </span>
    </Toolbar>
  );
}

function EditTools({ editor, change, focusZone }: Pick<LayoutToolbarProps, "editor" | "change" | "focusZone">) {
  const { history, selected } = editor;
  const layout = history.present;
  const last = history.past.at(-1)?.label;
  const next = history.future[0]?.label;
  const isFull = layout.zones.length >= mostZones;
  const add = (): void => {
    const key = newKey();
    change((now) => edit(now, addZone(now.history.present, key, text("newZone")), { act: "add", at: Date.now(), select: [key] }));
    focusZone(key);
  };
  const duplicate = (): void => {
    const copies = copiesOf(selected);
    const keys = [...copies.values()];
    change((now) => edit(now, duplicateZones(now.history.present, copies), { act: "duplicate", at: Date.now(), select: keys }));
  };
  return (
    <>
      <Button size="small" isDisabled={isFull} onPress={add}>
        <Icon name="plus" />
        {text("addZone")}
      </Button>
      <span className="tool-group" role="group" aria-label={text("steps")}>
        <Tool
          name={last === undefined ? text("undo") : text("undoOf", { act: actText(last) })}
          icon="undo"
          keys={text("undoKeys")}
          isDisabled={last === undefined}
          onPress={() => change(undoStep)}
        />
        <Tool
          name={next === undefined ? text("redo") : text("redoOf", { act: actText(next) })}
          icon="redo"
          keys={text("redoKeys")}
          isDisabled={next === undefined}
          onPress={() => change(redoStep)}
        />
      </span>
      <span className="tool-group" role="group" aria-label={text("selectedZones")}>
        <Tool
          name={text("duplicate")}
          icon="copy"
          keys={text("duplicateKeys")}
          isDisabled={selected.length === 0 || isFull}
          onPress={duplicate}
        />
        <Tool
          name={text("remove")}
          icon="trash"
          keys={text("removeKeys")}
          isDisabled={selected.length === 0}
          onPress={() => change((now) => edit(now, removeZones(now.history.present, now.selected), { act: "remove", at: Date.now() }))}
        />
        <Tool
          name={text(layout.width > layout.height ? "toPortrait" : "toLandscape")}
          icon="orientation"
          onPress={() => change((now) => edit(now, otherOrientation(now.history.present), { act: "orientation", at: Date.now() }))}
        />
      </span>
    </>
  );
}
