// The settings of the chosen items: forms made from the table of fields. Several items are changed together.
import { playlistEditor } from "../../../i18n/en/playlist-editor.ts";
import { texts } from "../../../i18n/texts.ts";
import { Disclosure } from "../../../ui/disclosure.tsx";
import { FieldView } from "../fields/field-view.tsx";
import { DurationField, RulesForm, TransitionField } from "../fields/rules-form.tsx";
import type { Fault } from "../model/defaults.ts";
import { changed, type Changes } from "../model/edits.ts";
import type { PlaylistEditor } from "../model/editor.ts";
import { sharedFields, type Field, type FieldPart } from "../model/fields.ts";
import { isLimited, isTimed } from "../model/loop.ts";
import type { Row } from "../model/rows.ts";
import { sharedValue } from "../model/shared.ts";

const text = texts(playlistEditor);

interface ItemSettingsProps {
  editor: PlaylistEditor;
  /** At least one. */
  chosen: readonly Row[];
  isReadOnly: boolean;
}

export function ItemSettings({ editor, chosen, isReadOnly }: ItemSettingsProps) {
  const items = chosen.map(({ item }) => item);
  const keys = new Set(chosen.map(({ key }) => key));
  const faults = chosen.flatMap(({ key }): readonly Fault[] => editor.view.faults.get(key) ?? []);
  const errorOf = (name: string): string | undefined => {
    const fault = faults.find(({ field }) => field === name);
    return fault === undefined ? undefined : (fault.detail ?? text("mustBeGiven"));
  };
  const change = (changes: Changes, isTyping = false): void =>
    editor.change(changed(editor.view.rows, keys, changes), isTyping ? [...keys, ...Object.keys(changes)].join() : undefined);
  const shared = (name: string) => sharedValue(items, name);
  const fields = sharedFields(items.map(({ type }) => type));
  const view = (field: Field) => (
    <FieldView
      key={field.name}
      field={field}
      label={text(field.name as keyof typeof playlistEditor)}
      {...shared(field.name)}
      error={errorOf(field.name)}
      isDisabled={isReadOnly}
      onChange={(value, isTyping = false) => change({ [field.name]: value }, isTyping)}
      onDone={editor.settle}
    />
  );
  const part = (wanted: FieldPart) => fields.filter((field) => field.part === wanted);
  const common = { shared, errorOf, isDisabled: isReadOnly, onChange: change };
  const hasTimes = items.some((item) => isTimed(item) || isLimited(item) || item.conditions !== undefined);
  const [look, more] = [part("look"), part("more")];
  return (
    <div className="item-settings">
      {part("content").map(view)}
      <DurationField {...common} />
      <TransitionField {...common} />
      {look.length === 0 ? null : (
        <Disclosure title={text("look")} isOpen>
          {look.map(view)}
        </Disclosure>
      )}
      <Disclosure title={text("times")} isOpen={hasTimes}>
        <RulesForm {...common} />
      </Disclosure>
      {more.length === 0 ? null : (
        <Disclosure title={text("more")} isOpen={more.some(({ name }) => errorOf(name) !== undefined)}>
          {more.map(view)}
        </Disclosure>
      )}
    </div>
  );
}
