// The form of a schedule, new or not, with the effect of saving it.
import { useRef, type FormEvent, type ReactNode } from "react";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { fieldErrorsOf, ProblemMessage } from "../../../ui/problem-message.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import type { ActiveDraft } from "../../../data/drafts/place.ts";
import { SaveToDraft } from "../../drafts/save-to-draft.tsx";
import { TargetPicker } from "../../show/target-picker.tsx";
import { changeOf, isFilled, valuesOf, type Schedule, type ScheduleChange, type Values } from "../model/form.ts";
import { ContentField } from "./content-field.tsx";
import { EffectPanel } from "./effect-panel.tsx";
import { MoreFields } from "./more-fields.tsx";
import { RepeatFields } from "./repeat-fields.tsx";
import { WhenFields } from "./when-fields.tsx";
import "../../../ui/form-columns.css";
import "./form.css";

const text = texts("schedules");
/** The fields that show their errors. */
const shownFields = [
  "name",
  "layout_id",
  "starts_at",
  "ends_at",
  "rrule",
  "exdates",
  "timezone",
  "priority",
  "share_percent",
  "play_ms",
  "max_plays_per_hour",
];

interface ScheduleFormProps {
  values: Values;
  onChange: (values: Values) => void;
  /** As it was read; null: it is new. */
  before: Schedule | null;
  mayWrite: boolean;
  /** The person has to decide something before it can be saved. */
  isUndecided?: boolean;
  saving: { isPending: boolean; error: unknown };
  onSave: (change: ScheduleChange) => void;
  /** Saves it in a draft, and goes there. */
  onSaveToDraft: (change: ScheduleChange, draft: ActiveDraft) => Promise<unknown>;
  /** Beside the button that saves. */
  otherActions?: ReactNode;
}

export function ScheduleForm({
  values,
  onChange,
  before,
  mayWrite,
  isUndecided = false,
  saving,
  onSave,
  onSaveToDraft,
  otherActions,
}: ScheduleFormProps) {
  // A layout that is made of files is chosen later: other fields may have changed meanwhile.
  const latest = useRef(values);
  latest.current = values;
  const errors = fieldErrorsOf(saving.error);
  const isComplete = isFilled(values) && !isUndecided;
  const isChanged = before === null || JSON.stringify(values) !== JSON.stringify(valuesOf(before));
  const change =
    isComplete && isChanged ? changeOf({ ...values, name: values.name.trim() === "" ? text("create") : values.name }, before) : null;
  const isInstant = before?.starts_at.endsWith("Z") === true;
  const errorFields = Object.keys(errors);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isComplete && !saving.isPending) onSave(changeOf(values, before));
  };
  const common = { values, errors, onChange };
  return (
    <form className="form-columns grid top gap-5" onSubmit={submit}>
      {/* A person who may only read sees the schedule, and cannot change it. */}
      <fieldset className="card stack gap-4 shrink no-margin" disabled={!mayWrite}>
        <TextField
          label={text("name")}
          value={values.name}
          onChange={(name) => onChange({ ...values, name })}
          error={errors["name"]}
          maxLength={200}
          isRequired
          autoFocus={before === null}
        />
        <ContentField
          values={values}
          errors={errors}
          mayWrite={mayWrite}
          onChange={(change) => onChange({ ...latest.current, ...change })}
        />
        <TargetPicker label={text("where")} value={values.target} onChange={(target) => onChange({ ...values, target })} allowsEverywhere />
        <fieldset className="form-part stack gap-4 shrink no-margin">
          <legend>{text("when")}</legend>
          <WhenFields {...common} isInstant={isInstant} />
          <RepeatFields {...common} />
        </fieldset>
        <MoreFields {...common} />
      </fieldset>
      <div className="form-aside stack gap-4">
        <EffectPanel id={before?.id ?? null} change={change} startsAt={firstWallOf(values, before)} isUnchanged={!isChanged} />
        {errorFields.length > 0 && errorFields.every((field) => shownFields.includes(field)) ? null : (
          <ProblemMessage error={saving.error} />
        )}
        {mayWrite ? (
          <div className="wrap end gap-2">
            {otherActions}
            <SaveToDraft
              name={values.name}
              isSaving
              isDisabled={!isComplete || !isChanged || values.name.trim() === ""}
              run={(draft) => onSaveToDraft(changeOf(values, before), draft)}
            />
            <Button kind="primary" type="submit" isPending={saving.isPending} isDisabled={!isComplete || !isChanged}>
              {text("save")}
            </Button>
          </div>
        ) : null}
      </div>
    </form>
  );
}

/** When the schedule begins, as it is or as it was. */
function firstWallOf({ startDate }: Values, before: Schedule | null): number {
  return Math.min(Date.parse(startDate), ...(before === null ? [] : [Date.parse(before.starts_at.slice(0, 10))]));
}
