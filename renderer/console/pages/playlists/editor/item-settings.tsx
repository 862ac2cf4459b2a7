// The settings of the chosen items: forms made from the table of fields. Several items are changed together.
import { memo, useMemo } from "react";
import type { MessageKey } from "../../../i18n/catalogue.ts";
import { texts } from "../../../i18n/texts.ts";
import { Disclosure } from "../../../ui/disclosure.tsx";
import { usePreviousIfEqual, useStableActs } from "../../../ui/stable-values.ts";
import type { FieldProps } from "../fields/field-props.ts";
import { FieldView } from "../fields/field-view.tsx";
import { DurationField, RulesForm, TransitionField } from "../fields/rules-form.tsx";
import type { Fault } from "../model/defaults.ts";
import { changeRows, type Changes } from "../model/edits.ts";
import type { PlaylistEditor } from "../model/editor.ts";
import type { Field, FieldPart } from "../../../items/fields.ts";
import { sharedFields } from "../../../items/item-kinds.ts";
import type { Item } from "../../../items/item.ts";
import { isLimited, isTimed } from "../model/loop.ts";
import type { Row } from "../model/rows.ts";
import { isSameValue } from "../model/same-value.ts";
import { sharedValue } from "../model/shared.ts";

const text = texts("playlistEditor");

interface ItemSettingsProps {
  editor: PlaylistEditor;
  /** At least one. They stay the same ones. */
  selectedRows: readonly Row[];
  isReadOnly: boolean;
}

type Change = (changes: Changes, isTyping?: boolean) => void;

export function ItemSettings({ editor, selectedRows, isReadOnly }: ItemSettingsProps) {
  const items = selectedRows.map(({ item }) => item);
  const faults = selectedRows.flatMap(({ key }): readonly Fault[] => editor.view.faults.get(key) ?? []);
  const { change } = useStableActs({
    change: (changes: Changes, isTyping = false): void => {
      const keys = new Set(selectedRows.map(({ key }) => key));
      editor.change(changeRows(editor.view.rows, keys, changes), isTyping ? [...keys, ...Object.keys(changes)].join() : undefined);
    },
  });
  const fields = sharedFields(items.map(({ type }) => type));
  const view = (field: Field) => (
    <SettingField
      key={field.name}
      field={field}
      {...sharedValue(items, field.name)}
      error={errorIn(faults, field.name)}
      isDisabled={isReadOnly}
      change={change}
      onDone={editor.settle}
    />
  );
  const part = (group: FieldPart) => fields.filter((field) => field.part === group);
  const common = useCommon(items, faults, fields, isReadOnly, change);
  const hasTimes = items.some((item) => isTimed(item) || isLimited(item) || item.conditions !== undefined);
  const [look, more] = [part("look"), part("more")];
  return (
    <div className="stack gap-4">
      {part("content").map(view)}
      <CommonDuration {...common} />
      <CommonTransition {...common} />
      {look.length === 0 ? null : (
        <Disclosure title={text("look")} isOpen>
          {look.map(view)}
        </Disclosure>
      )}
      <Disclosure title={text("times")} isOpen={hasTimes}>
        <CommonRules {...common} />
      </Disclosure>
      {more.length === 0 ? null : (
        <Disclosure title={text("more")} isOpen={more.some(({ name }) => errorIn(faults, name) !== undefined)}>
          {more.map(view)}
        </Disclosure>
      )}
    </div>
  );
}

// While a letter is typed in one field, the others stay as they are drawn.
const CommonDuration = memo(DurationField);
const CommonTransition = memo(TransitionField);
const CommonRules = memo(RulesForm);

interface SettingFieldProps extends Omit<FieldProps, "label" | "onChange"> {
  field: Field;
  change: Change;
}

const SettingField = memo(function SettingField({ field, change, ...props }: SettingFieldProps) {
  const { name } = field;
  return (
    <FieldView
      field={field}
      label={text(name as MessageKey<"playlistEditor">)}
      {...props}
      onChange={(value, isTyping = false) => change({ [name]: value }, isTyping)}
    />
  );
});

/** The properties of the settings that every item has. The same as long as they do not change, whatever changes in `fields`. */
function useCommon(items: readonly Item[], faults: readonly Fault[], fields: readonly Field[], isDisabled: boolean, change: Change) {
  const own = new Set<string>(fields.map(({ name }) => name));
  const rest = items.map((item) => Object.fromEntries(Object.entries(item).filter(([name]) => !own.has(name))) as unknown as Item);
  const keptItems = usePreviousIfEqual(rest, isSameValue);
  const keptFaults = usePreviousIfEqual(
    faults.filter(({ field }) => !own.has(field)),
    isSameValue,
  );
  return useMemo(
    () => ({
      commonValue: (name: string) => sharedValue(keptItems, name),
      errorOf: (name: string) => errorIn(keptFaults, name),
      isDisabled,
      onChange: change,
    }),
    [keptItems, keptFaults, isDisabled, change],
  );
}

function errorIn(faults: readonly Fault[], name: string): string | undefined {
  const fault = faults.find(({ field }) => field === name);
  return fault === undefined ? undefined : (fault.detail ?? text("mustBeGiven"));
}
