// The limits of one kind of alerts.
import { texts } from "../../../i18n/texts.ts";
import { NumberField } from "../../../ui/number-field.tsx";
import { Switch } from "../../../ui/switch.tsx";
import type { AlertKind, Settings } from "./kinds.ts";

const text = texts("alerts");

type Limits = Settings["kinds"][AlertKind];
type Change = Partial<Settings["kinds"]["late"] & Settings["kinds"]["hot"]>;

interface KindSettingsProps {
  kind: AlertKind;
  value: Limits;
  isDisabled: boolean;
  onChange: (change: Change) => void;
}

const longestMinutes = 10_080;
const hottest = 150;

export function KindSettings({ kind, value, isDisabled, onChange }: KindSettingsProps) {
  const isOff = isDisabled || !value.enabled;
  const number = (
    field: "openMinutes" | "closeMinutes" | "contentMinutes" | "openCelsius" | "closeCelsius",
    amount: number,
    key: keyof Change,
  ) => (
    <NumberField
      label={text(field)}
      aria-label={text("ofKind", { kind: text(kind), field: text(field) })}
      unit={text(key.endsWith("celsius") ? "celsius" : "minutes")}
      value={amount}
      minValue={0}
      maxValue={key.endsWith("celsius") ? hottest : longestMinutes}
      isDisabled={isOff}
      // An emptied field keeps the last number.
      onChange={(next) => (Number.isNaN(next) ? undefined : onChange({ [key]: next }))}
    />
  );
  return (
    <div className="card alert-kind" role="group" aria-label={text(kind)}>
      <div className="flex top between gap-3">
        <div>
          <h3>{text(kind)}</h3>
          <p className="faint small">{text(`${kind}Text`)}</p>
        </div>
        <Switch
          aria-label={text("ofKind", { kind: text(kind), field: text("raise") })}
          isSelected={value.enabled}
          isDisabled={isDisabled}
          onChange={(enabled) => onChange({ enabled })}
        />
      </div>
      <div className="wrap gap-3-4">
        {number("openMinutes", value.open_minutes, "open_minutes")}
        {number("closeMinutes", value.close_minutes, "close_minutes")}
        {"content_minutes" in value ? number("contentMinutes", value.content_minutes, "content_minutes") : null}
        {"open_celsius" in value ? number("openCelsius", value.open_celsius, "open_celsius") : null}
        {"close_celsius" in value ? number("closeCelsius", value.close_celsius, "close_celsius") : null}
      </div>
      <Switch
        aria-label={text("ofKind", { kind: text(kind), field: text("mailIt") })}
        isSelected={value.mail}
        isDisabled={isOff}
        onChange={(mail) => onChange({ mail })}
      >
        {text("mailIt")}
      </Switch>
    </div>
  );
}
