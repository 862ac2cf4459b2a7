// The time zone and the language of an item.
import { locale } from "../../../i18n/locale.ts";
import { texts } from "../../../i18n/texts.ts";
import { ComboBox } from "../../../ui/combo-box.tsx";
import type { FieldProps } from "./field-props.ts";

const text = texts("playlistEditor");

const zones = ["UTC", ...Intl.supportedValuesOf("timeZone")].map((id) => ({ id, name: id.replaceAll("_", " ") }));

export function TimeZoneField({ label, value, error, isDisabled, onChange }: FieldProps) {
  const hint = value === undefined ? { description: text("zoneOfScreen") } : {};
  return (
    <ComboBox
      label={label}
      choices={zones}
      value={typeof value === "string" ? value : null}
      onChange={(id) => onChange(id ?? undefined)}
      error={error}
      isDisabled={isDisabled}
      {...hint}
    />
  );
}

// Dates are written differently in countries of one language.
const tags = (
  "ar bg bn ca cs da de de-AT de-CH el en-AU en-CA en-GB en-IE en-US es es-MX et fa fi fr fr-CA fr-CH ga he hi hr hu id is it ja ka ko " +
  "lt lv mk ms nb nl nl-BE pl pt pt-BR ro ru sk sl sq sr sv ta th tr uk ur vi zh-CN zh-HK zh-TW"
).split(" ");
const names = new Intl.DisplayNames(locale, { type: "language" });

export function LanguageField({ label, value, error, isDisabled, onChange, isOptional }: FieldProps & { isOptional: boolean }) {
  const current = typeof value === "string" ? value : null;
  const all = current === null || tags.includes(current) ? tags : [current, ...tags];
  const choices = all.map((id) => ({ id, name: nameOf(id) })).toSorted((a, b) => a.name.localeCompare(b.name));
  return (
    <ComboBox
      label={label}
      choices={choices}
      value={current}
      onChange={(id) => {
        if (id !== null || isOptional) onChange(id ?? undefined);
      }}
      error={error}
      isDisabled={isDisabled}
      {...(isOptional && value === undefined ? { description: text("languageOfLetters") } : {})}
    />
  );
}

function nameOf(tag: string): string {
  try {
    return names.of(tag) ?? tag;
  } catch {
    return tag; // Another program may have stored a tag that Intl cannot name.
  }
}
