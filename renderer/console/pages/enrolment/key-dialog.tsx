// Creates or changes an enrolment key.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { dayMs } from "../../../../src/base/time.ts";
import { client } from "../../data/client.ts";
import { layoutNamesQuery } from "../../data/layout-names.ts";
import { texts } from "../../i18n/texts.ts";
import { Checkbox } from "../../ui/checkbox.tsx";
import { ComboBox } from "../../ui/combo-box.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { formOf } from "../../ui/form.ts";
import { TagField } from "../../ui/tag-field.tsx";
import { TextField } from "../../ui/text-field.tsx";
import type { EnrolmentKey } from "./keys.ts";

const text = texts("common", "enrolment");
const none = "none";
const defaultDays = 90;

/** The fields that are checked here. */
type Checked = "name" | "max_count" | "name_pattern" | "expires_at";

interface KeyDialogProps {
  /** Null: a new key. */
  current: EnrolmentKey | null;
  onClose: () => void;
  /** @param secret of a new key */
  onSaved: (key: EnrolmentKey, secret: string | null) => void;
}

export function KeyDialog({ current, onClose, onSaved }: KeyDialogProps) {
  const layouts = useQuery(layoutNamesQuery);
  const [name, setName] = useState(current?.name ?? "");
  const [count, setCount] = useState(String(current?.max_count ?? 10));
  const [pattern, setPattern] = useState(current?.name_pattern ?? "Screen {n}");
  const [tags, setTags] = useState<readonly string[]>(current?.tags ?? []);
  const [layoutId, setLayoutId] = useState(current?.layout_id ?? none);
  const [day, setDay] = useState(localDay(current === null ? new Date(Date.now() + defaultDays * dayMs) : new Date(current.expires_at)));
  const [replaces, setReplaces] = useState(current?.replace_by_serial ?? true);
  const [missing, setMissing] = useState<Partial<Record<Checked, string>>>({});
  const saving = useMutation({
    mutationFn: async (): Promise<{ key: EnrolmentKey; secret: string | null }> => {
      const isDayChanged = current === null || day !== localDay(new Date(current.expires_at));
      const body = {
        name,
        tags: [...tags],
        layout_id: layoutId === none ? null : layoutId,
        name_pattern: pattern,
        max_count: Number(count),
        ...(isDayChanged ? { expires_at: endOfDay(day).toISOString() } : {}),
        replace_by_serial: replaces,
      };
      if (current === null) {
        const { data } = await client.post("/api/v1/enrolment-keys", { body });
        return { key: data, secret: data.secret };
      }
      const { data } = await client.patch("/api/v1/enrolment-keys/{id}", { params: { path: { id: current.id } }, body });
      return { key: data, secret: null };
    },
    onSuccess: ({ key, secret }) => onSaved(key, secret),
  });
  const form = formOf(saving, ["name", "max_count", "name_pattern", "expires_at", "layout_id"], () => {
    const wrong = {
      ...(name.trim() === "" ? { name: text("required") } : {}),
      ...(/^[0-9]{1,6}$/.test(count) && Number(count) >= 1 && Number(count) <= 100_000 ? {} : { max_count: text("wrongCount") }),
      ...(pattern.trim() === "" ? { name_pattern: text("required") } : {}),
      ...(day === "" ? { expires_at: text("wrongDate") } : {}),
    };
    setMissing(wrong);
    if (Object.keys(wrong).length === 0) saving.mutate();
  });
  const errors = { ...form.errors, ...missing };
  const title = current === null ? text("createTitle") : text("changeTitle", { name: current.name });
  return (
    <FormDialog title={title} action={text(current === null ? "create" : "save")} form={form} onClose={onClose} noValidate>
      {current === null ? null : <p className="faint">{text("changeHint")}</p>}
      <TextField
        label={text("name")}
        value={name}
        onChange={setName}
        error={errors.name}
        placeholder={text("namePlaceholder")}
        maxLength={200}
        autoFocus
      />
      <div className="enrolment-row grid gap-4">
        <TextField
          label={text("maxCount")}
          description={text("maxCountDescription")}
          value={count}
          onChange={setCount}
          error={errors.max_count}
          inputMode="numeric"
        />
        <TextField label={text("expires")} type="date" value={day} onChange={setDay} error={errors.expires_at} />
      </div>
      <TextField
        label={text("namePattern")}
        description={text("namePatternDescription")}
        value={pattern}
        onChange={setPattern}
        error={errors.name_pattern}
      />
      <TagField label={text("tags")} value={tags} onChange={setTags} />
      <ComboBox
        label={text("layout")}
        choices={[{ id: none, name: text("noLayout") }, ...(layouts.data ?? [])]}
        value={layoutId}
        onChange={(id) => setLayoutId(id ?? none)}
        error={errors.layout_id}
      />
      <Checkbox isSelected={replaces} onChange={setReplaces}>
        {text("replaceBySerial")} <span className="field-description">{text("replaceBySerialDescription")}</span>
      </Checkbox>
    </FormDialog>
  );
}

/** The day in the reader's time zone, as a date field has it. */
function localDay(at: Date): string {
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

function endOfDay(day: string): Date {
  return new Date(`${day}T23:59:59`);
}
