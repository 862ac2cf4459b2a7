// The dialogs that change tags, layout, display hours or maintenance of many screens.
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Label, ToggleButton, ToggleButtonGroup } from "react-aria-components";
import { dayMs, hourMs, iso } from "../../../../src/base/time.ts";
import { weekdays } from "../../../../src/protocol/scheduling/opening-hours.ts";
import { layoutNamesQuery } from "../../data/layout-names.ts";
import { formatWeekday } from "../../i18n/format.ts";
import { texts } from "../../i18n/texts.ts";
import { Choices } from "../../ui/choices.tsx";
import { ComboBox } from "../../ui/combo-box.tsx";
import { TagField } from "../../ui/tag-field.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { BulkDialog, type BulkDialogProps } from "./bulk-dialog.tsx";
import { changeAct, type Change } from "./change-act.ts";

const text = texts("bulk");
const words = { forecast: "previewChange", run: "runChange" } as const;

/** The dialog's properties for a change; null: nothing was chosen yet. */
function useChange(change: Change | null) {
  const actKey = JSON.stringify(change);
  return useMemo(() => ({ act: actKey === "null" ? null : changeAct(JSON.parse(actKey) as Change), actKey, words }), [actKey]);
}

export function TagsDialog(props: BulkDialogProps) {
  const [newTags, setNewTags] = useState<readonly string[]>([]);
  const [oldTags, setOldTags] = useState<readonly string[]>([]);
  const isChosen = newTags.length + oldTags.length > 0;
  const change = useChange(isChosen ? { tags_add: [...newTags], tags_remove: [...oldTags] } : null);
  return (
    <BulkDialog {...props} {...change} title={text("tagsTitle", { count: props.ids.length })}>
      <TagField label={text("tagsAdd")} value={newTags} onChange={setNewTags} autoFocus />
      <TagField label={text("tagsRemove")} description={text("tagsRemoveDescription")} value={oldTags} onChange={setOldTags} />
    </BulkDialog>
  );
}

const noLayout = "none";

export function LayoutDialog(props: BulkDialogProps) {
  const { data: layouts = [] } = useQuery(layoutNamesQuery);
  const [layoutId, setLayoutId] = useState<string | null>(null);
  const change = useChange(layoutId === null ? null : { layout_id: layoutId === noLayout ? null : layoutId });
  return (
    <BulkDialog {...props} {...change} title={text("layoutTitle", { count: props.ids.length })}>
      <ComboBox
        label={text("layoutLabel")}
        placeholder={text("layoutPlaceholder")}
        choices={[...layouts, { id: noLayout, name: text("layoutNone") }]}
        value={layoutId}
        onChange={setLayoutId}
      />
    </BulkDialog>
  );
}

export function HoursDialog(props: BulkDialogProps) {
  const [mode, setMode] = useState<"always" | "some">("some");
  const [from, setFrom] = useState("08:00");
  const [until, setUntil] = useState("20:00");
  const [days, setDays] = useState<ReadonlySet<string>>(() => new Set(weekdays));
  const isComplete = mode === "always" || (from !== "" && until !== "" && days.size > 0);
  const open = { from, until, weekdays: weekdays.filter((day) => days.has(day)) };
  const change = useChange(isComplete ? { display_hours: mode === "always" ? null : { open: [open], exceptions: [] } } : null);
  return (
    <BulkDialog {...props} {...change} title={text("hoursTitle", { count: props.ids.length })}>
      <Choices
        label={text("hoursMode")}
        value={mode}
        onChange={setMode}
        choices={[
          { id: "some", name: text("hoursSome") },
          { id: "always", name: text("hoursAlways") },
        ]}
      />
      {mode === "always" ? null : (
        <>
          <div className="bulk-hours grid gap-4">
            <TextField label={text("hoursFrom")} type="time" value={from} onChange={setFrom} />
            <TextField label={text("hoursUntil")} type="time" value={until} onChange={setUntil} />
          </div>
          <div className="field">
            <Label className="label" id="bulk-days">
              {text("hoursDays")}
            </Label>
            <ToggleButtonGroup
              className="bulk-days wrap gap-1"
              aria-labelledby="bulk-days"
              selectionMode="multiple"
              selectedKeys={days}
              onSelectionChange={(keys) => setDays(new Set([...keys].map(String)))}
            >
              {weekdays.map((day, index) => (
                <ToggleButton key={day} id={day} className="button" data-size="small">
                  {formatWeekday(index)}
                </ToggleButton>
              ))}
            </ToggleButtonGroup>
            <span className="field-description">{text("hoursHint")}</span>
          </div>
        </>
      )}
    </BulkDialog>
  );
}

const lengths = { maintenanceHour: hourMs, maintenanceFour: 4 * hourMs, maintenanceDay: dayMs, maintenanceEnd: null } as const;

export function MaintenanceDialog(props: BulkDialogProps) {
  const [length, setLength] = useState<keyof typeof lengths>("maintenanceHour");
  const [openedAt] = useState(() => Date.now());
  const ms = lengths[length];
  const change = useChange({ maintenance_until: ms === null ? null : iso(openedAt + ms) });
  return (
    <BulkDialog {...props} {...change} title={text("maintenanceTitle", { count: props.ids.length })}>
      <Choices
        label={text("maintenanceMode")}
        value={length}
        onChange={setLength}
        choices={(Object.keys(lengths) as (keyof typeof lengths)[]).map((id) => ({ id, name: text(id) }))}
      />
    </BulkDialog>
  );
}
