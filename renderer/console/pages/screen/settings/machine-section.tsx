// When and how fast a screen downloads, and whether somebody works at it.
import { hourMs, iso } from "../../../../../src/base/time.ts";
import { useTimeZone } from "../data.ts";
import { instantOf, localValueOf } from "../../../data/zones.ts";
import { texts } from "../../../i18n/texts.ts";
import { NumberField } from "../../../ui/number-field.tsx";
import { Switch } from "../../../ui/switch.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import type { Settings } from "./draft.ts";
import { OpeningsEditor } from "./openings-editor.tsx";
import { Section, type SectionProps } from "./section.tsx";

const text = texts("screenSettings");
const night = { from: "01:00", until: "05:00" };

type Downloads = NonNullable<Settings["downloads"]>;

export function MachineSection({ id, draft: { settings, set }, isDisabled }: SectionProps) {
  const zone = useTimeZone(id);
  const { downloads, maintenance_until: until } = settings;
  const { max_bytes_per_second: limit, windows } = downloads ?? {};
  const change = ({ max_bytes_per_second: rate, windows: times }: Downloads): void => {
    const next = {
      ...(rate === undefined ? {} : { max_bytes_per_second: rate }),
      ...(times === undefined || times.length === 0 ? {} : { windows: times }),
    };
    set("downloads", Object.keys(next).length === 0 ? null : next);
  };
  const rest = { ...(limit === undefined ? {} : { max_bytes_per_second: limit }), ...(windows === undefined ? {} : { windows }) };
  return (
    <>
      <Section id="downloads" title={text("downloads")}>
        <Switch
          isSelected={limit !== undefined}
          isDisabled={isDisabled}
          onChange={(isOn) => change(isOn ? { ...rest, max_bytes_per_second: 1_000_000 } : windows === undefined ? {} : { windows })}
        >
          {text("limitOn")}
        </Switch>
        {limit === undefined ? null : (
          <NumberField
            label={text("limit")}
            minValue={10}
            value={limit / 1_000}
            isDisabled={isDisabled}
            onChange={(rate) => (Number.isNaN(rate) ? undefined : change({ ...rest, max_bytes_per_second: Math.round(rate * 1_000) }))}
          />
        )}
        <Switch
          isSelected={windows !== undefined}
          isDisabled={isDisabled}
          onChange={(isOn) =>
            change({ ...(limit === undefined ? {} : { max_bytes_per_second: limit }), ...(isOn ? { windows: [night] } : {}) })
          }
        >
          {text("windowsOn")}
        </Switch>
        {windows === undefined ? null : (
          <>
            <p className="field-description">{text("windowsAbout")}</p>
            <OpeningsEditor value={windows} onChange={(times) => change({ ...rest, windows: times })} isDisabled={isDisabled} />
          </>
        )}
      </Section>
      <Section id="maintenance" title={text("maintenance_until")}>
        <Switch
          isSelected={until !== null}
          isDisabled={isDisabled}
          onChange={(isOn) => set("maintenance_until", isOn ? iso(Date.now() + 2 * hourMs) : null)}
        >
          {text("maintenanceOn")}
        </Switch>
        {until === null || zone === null ? null : (
          <TextField
            label={text("maintenanceUntil", { zone })}
            type="datetime-local"
            value={localValueOf(until, zone)}
            isDisabled={isDisabled}
            onChange={(local) => {
              const instant = instantOf(local, zone);
              if (instant !== null) set("maintenance_until", instant);
            }}
          />
        )}
      </Section>
    </>
  );
}
