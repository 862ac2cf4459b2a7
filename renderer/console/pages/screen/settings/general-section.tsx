// Name, tags, orientation and time zone of a screen.
import { texts } from "../../../i18n/texts.ts";
import { ComboBox } from "../../../ui/combo-box.tsx";
import { Select } from "../../../ui/select.tsx";
import { TagField } from "../../../ui/tag-field.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import type { Settings } from "./draft.ts";
import { Section, type SectionProps } from "./section.tsx";

const text = texts("screenSettings");
const orientations: readonly Settings["orientation"][] = ["landscape", "portrait", "landscape-flipped", "portrait-flipped"];
const ofDevice = "device";
const zones = [
  { id: ofDevice, name: text("timezoneDevice") },
  ...["UTC", ...Intl.supportedValuesOf("timeZone")].map((id) => ({ id, name: id })),
];

export function GeneralSection({ draft: { settings, set }, errors, isDisabled }: SectionProps) {
  const zone = settings.timezone ?? ofDevice;
  const error = settings.name.trim() === "" ? text("nameMissing") : errors["name"];
  return (
    <Section id="general" title={text("general")}>
      <TextField
        label={text("name")}
        value={settings.name}
        onChange={(name) => set("name", name)}
        maxLength={200}
        error={error}
        isDisabled={isDisabled}
      />
      <TagField
        label={text("tags")}
        description={text("tagsAbout")}
        value={settings.tags}
        onChange={(tags) => set("tags", [...tags])}
        isDisabled={isDisabled}
      />
      <Select
        label={text("orientation")}
        options={orientations.map((id) => ({ id, name: text(id) }))}
        selectedKey={settings.orientation}
        onSelectionChange={(key) =>
          set(
            "orientation",
            orientations.find((each) => each === key)!,
          )
        }
        isDisabled={isDisabled}
      />
      <ComboBox
        label={text("timezone")}
        description={text("timezoneAbout")}
        error={errors["timezone"]}
        choices={zones.some(({ id }) => id === zone) ? zones : [...zones, { id: zone, name: zone }]}
        value={zone}
        onChange={(key) => set("timezone", key === ofDevice ? null : key)}
        isDisabled={isDisabled}
      />
    </Section>
  );
}
