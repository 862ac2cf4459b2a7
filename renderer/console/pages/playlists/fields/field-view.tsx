// One setting of an item, by the type of its field.
import { addressOf } from "../../../data/website-address.ts";
import type { MessageKey } from "../../../i18n/catalogue.ts";
import { texts } from "../../../i18n/texts.ts";
import { ColorField } from "../../../ui/color-field.tsx";
import { NumberField } from "../../../ui/number-field.tsx";
import { Segments } from "../../../ui/segments.tsx";
import { Select } from "../../../ui/select.tsx";
import { Switch } from "../../../ui/switch.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import type { Field } from "../../../items/fields.ts";
import { AssetField } from "./asset-field.tsx";
import { DatePartsField } from "./date-parts-field.tsx";
import type { FieldProps } from "./field-props.ts";
import { LanguageField, TimeZoneField } from "./place-fields.tsx";
import { HeadersField, SignInField } from "./secret-fields.tsx";

const text = texts("playlistEditor");
type Message = MessageKey<"playlistEditor">;

const unitMs = { s: 1_000, min: 60_000 } as const;

export function FieldView({ field, ...props }: FieldProps & { field: Field }) {
  const { label, value, isMixed, error, isDisabled, onChange, onDone } = props;
  const isOptional = field.isOptional === true;
  const hint = isMixed ? text("mixed") : isOptional && value === undefined ? text("defaultHint") : undefined;
  const notes = hint === undefined ? {} : { description: hint };
  const number = typeof value === "number" ? value : Number.NaN;
  const words = typeof value === "string" ? value : "";
  const onNumber = (scale: number) => (input: number) => {
    if (Number.isNaN(input)) {
      if (isOptional && !isMixed) onChange(undefined);
    } else if (Math.abs(input * scale - number) > 1e-9 || Number.isNaN(number)) onChange(Number((input * scale).toFixed(6)));
  };
  switch (field.is) {
    case "text":
      return (
        <TextField
          label={label}
          value={words}
          maxLength={field.most}
          isMultiline={field.lines === true}
          onChange={(input) => onChange(input === "" && isOptional ? undefined : input, true)}
          onBlur={onDone}
          error={error}
          isDisabled={isDisabled}
          {...notes}
        />
      );
    case "address":
      return (
        <TextField
          label={label}
          value={words}
          type="url"
          inputMode="url"
          placeholder="https://"
          onChange={(input) => onChange(input, true)}
          onBlur={() => {
            if (words !== "" && addressOf(words) !== words) onChange(addressOf(words), true);
            onDone();
          }}
          error={error}
          isDisabled={isDisabled}
          {...notes}
        />
      );
    case "choice": {
      const options = field.options.map((id) => ({ id, name: text(id as Message) }));
      // Of a setting that may be left out, the first choice is the service's default.
      const option = words === "" && isOptional ? field.options[0]! : words;
      if (options.length > 3 || isMixed || isDisabled)
        return (
          <Select
            label={label}
            options={options}
            selectedKey={isMixed ? null : option}
            onSelectionChange={onChange}
            error={error}
            isDisabled={isDisabled}
            {...(isMixed ? { placeholder: text("mixed") } : notes)}
          />
        );
      return <Segments label={label} options={options} value={option} onChange={onChange} />;
    }
    case "switch":
      return (
        <Switch isSelected={value === true} onChange={onChange} isDisabled={isDisabled}>
          {label}
          {isMixed ? <span className="faint"> {text("mixed")}</span> : null}
        </Switch>
      );
    case "number":
      return (
        <NumberField
          label={label}
          value={number}
          minValue={field.min}
          maxValue={field.max}
          step={field.step ?? 1}
          onChange={onNumber(1)}
          error={error}
          isDisabled={isDisabled}
          {...(field.unit === undefined ? {} : { unit: text(field.unit) })}
          {...notes}
        />
      );
    case "time": {
      const scale = unitMs[field.unit];
      return (
        <NumberField
          label={label}
          unit={text(field.unit)}
          value={number / scale}
          minValue={field.min / scale}
          maxValue={field.max / scale}
          formatOptions={{ maximumFractionDigits: 3 }}
          onChange={onNumber(scale)}
          error={error}
          isDisabled={isDisabled}
          {...notes}
        />
      );
    }
    case "share":
      return (
        <NumberField
          label={label}
          unit={text("percent")}
          value={number * 100}
          minValue={field.min * 100}
          maxValue={field.max * 100}
          formatOptions={{ maximumFractionDigits: 0 }}
          onChange={onNumber(0.01)}
          error={error}
          isDisabled={isDisabled}
          {...notes}
        />
      );
    case "color":
      return (
        <ColorField
          label={label}
          pickLabel={text("colorOf", { name: label })}
          value={words}
          onChange={(color) => onChange(color === "" && isOptional ? undefined : color, true)}
          onDone={onDone}
          error={error}
          isDisabled={isDisabled}
          description={hint}
        />
      );
    case "addresses":
      return <AddressesField {...props} />;
    case "asset":
      return <AssetField {...props} kinds={field.kinds} isOptional={isOptional} />;
    case "time-zone":
      return <TimeZoneField {...props} />;
    case "language":
      return <LanguageField {...props} isOptional={isOptional} />;
    case "headers":
      return <HeadersField {...props} />;
    case "sign-in":
      return <SignInField {...props} />;
    case "date-parts":
      return <DatePartsField {...props} />;
  }
}

function AddressesField({ label, value, error, isDisabled, onChange, onDone }: FieldProps) {
  const lines = Array.isArray(value) ? (value as string[]) : [];
  return (
    <TextField
      label={label}
      description={text("addressesHint")}
      isMultiline
      value={lines.join("\n")}
      onChange={(input) => onChange(input === "" ? [] : input.split("\n"), true)}
      onBlur={() => {
        const complete = lines.map(addressOf).filter((line) => line !== "");
        if (complete.join("\n") !== lines.join("\n")) onChange(complete, true);
        onDone();
      }}
      error={error}
      isDisabled={isDisabled}
    />
  );
}
