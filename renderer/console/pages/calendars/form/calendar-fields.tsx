// The form of a calendar, new or not: its name, its dates, and a column with facts about it.
import type { FormEvent, ReactNode } from "react";
import type { ActiveDraft } from "../../../data/drafts/place.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { fieldErrorsOf, ProblemMessage } from "../../../ui/problem-message.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { SaveToDraft } from "../../drafts/save-to-draft.tsx";
import { duplicateRows, type Values } from "../model/dates.ts";
import { DateRows } from "./date-rows.tsx";
import { IcalButton } from "./ical-button.tsx";
import "../../../ui/form-columns.css";
import "../calendars.css";

const text = texts("calendars");

interface CalendarFieldsProps {
  values: Values;
  onChange: (values: Values) => void;
  isNew: boolean;
  mayWrite: boolean;
  /** True if there is something to save, and nothing to decide before. */
  isSavable: boolean;
  saving: { isPending: boolean; error: unknown };
  onSave: () => void;
  /** Saves it in a draft, and goes there. */
  onSaveToDraft: (draft: ActiveDraft) => Promise<unknown>;
  otherActions?: ReactNode;
  /** The facts beside the form. */
  children?: ReactNode;
}

export function CalendarFields({
  values,
  onChange,
  isNew,
  mayWrite,
  isSavable,
  saving,
  onSave,
  onSaveToDraft,
  otherActions,
  children,
}: CalendarFieldsProps) {
  const isComplete = isSavable && values.name.trim() !== "" && duplicateRows(values.rows).size === 0;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isComplete && !saving.isPending) onSave();
  };
  const errors = fieldErrorsOf(saving.error);
  return (
    <form className="form-columns grid top gap-5" onSubmit={submit}>
      <div className="card stack gap-4 shrink no-margin">
        <TextField
          label={text("name")}
          value={values.name}
          onChange={(name) => onChange({ ...values, name })}
          error={errors["name"]}
          maxLength={200}
          isRequired
          isReadOnly={!mayWrite}
          autoFocus={isNew}
        />
        <DateRows values={values} mayWrite={mayWrite} onChange={onChange} />
        {mayWrite ? (
          <div>
            <IcalButton values={values} onChange={onChange} />
          </div>
        ) : null}
      </div>
      <div className="form-aside stack gap-4">
        {children}
        {errors["name"] === undefined ? <ProblemMessage error={saving.error} /> : null}
        {mayWrite ? (
          <div className="wrap end gap-2">
            {otherActions}
            <SaveToDraft name={values.name} isSaving isDisabled={!isComplete} run={onSaveToDraft} />
            <Button kind="primary" type="submit" isPending={saving.isPending} isDisabled={!isComplete}>
              {text("save")}
            </Button>
          </div>
        ) : null}
      </div>
    </form>
  );
}
