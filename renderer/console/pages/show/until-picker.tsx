// Chooses until when something is shown.
import { texts } from "../../i18n/texts.ts";
import { Segments } from "../../ui/segments.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { untilChoices, type Until } from "./until.ts";

const text = texts("show");
const names = { hour: "untilHour", day: "untilDay", tomorrow: "untilTomorrow", open: "untilOpen", exact: "untilExact" } as const;

export function UntilPicker({
  value,
  onChange,
  choices = untilChoices,
  openName = text("untilOpen"),
  error,
}: {
  value: Until;
  onChange: (value: Until) => void;
  choices?: readonly Until["is"][];
  /** The name of the choice without an end. */
  openName?: string;
  error?: string | undefined;
}) {
  return (
    <div className="stack gap-2 shrink">
      <Segments
        label={text("until")}
        options={choices.map((id) => ({ id, name: id === "open" ? openName : text(names[id]) }))}
        value={value.is}
        onChange={(is) => onChange({ ...value, is })}
      />
      {value.is === "day" || value.is === "tomorrow" ? <p className="field-description">{text("midnightHint")}</p> : null}
      {value.is === "exact" ? (
        <TextField
          label={text("untilAt")}
          type="datetime-local"
          value={value.at}
          onChange={(at) => onChange({ ...value, at })}
          error={Date.parse(value.at) <= Date.now() ? text("untilPast") : error}
          isRequired
        />
      ) : null}
      {value.is !== "exact" && error !== undefined ? <p className="field-error">{error}</p> : null}
    </div>
  );
}
