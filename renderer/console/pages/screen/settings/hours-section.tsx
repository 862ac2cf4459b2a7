// The opening hours of the display.
import { texts } from "../../../i18n/texts.ts";
import { Switch } from "../../../ui/switch.tsx";
import { ExceptionsEditor } from "./exceptions-editor.tsx";
import { OpeningsEditor, usualOpening } from "./openings-editor.tsx";
import { Section, type SectionProps } from "./section.tsx";

const text = texts("screenSettings");

export function HoursSection({ draft: { settings, set }, isDisabled }: SectionProps) {
  const { display_hours: hours } = settings;
  return (
    <Section id="hours" title={text("display_hours")} about={text("hoursAbout")}>
      <Switch
        isSelected={hours !== null}
        isDisabled={isDisabled}
        onChange={(isOn) => set("display_hours", isOn ? { open: [{ ...usualOpening }], exceptions: [] } : null)}
      >
        {text("hoursOn")}
      </Switch>
      {hours === null ? null : (
        <>
          <OpeningsEditor value={hours.open} onChange={(open) => set("display_hours", { ...hours, open })} isDisabled={isDisabled} />
          {hours.open.length === 0 ? <p className="strong warn">{text("noOpenings")}</p> : null}
          <ExceptionsEditor
            value={hours.exceptions}
            onChange={(exceptions) => set("display_hours", { ...hours, exceptions })}
            isDisabled={isDisabled}
          />
        </>
      )}
    </Section>
  );
}
