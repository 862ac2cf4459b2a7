// The times at which a screen takes pictures by itself, and the areas that none of its pictures may show.
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { NumberField } from "../../../ui/number-field.tsx";
import { Select } from "../../../ui/select.tsx";
import { Switch } from "../../../ui/switch.tsx";
import type { Settings } from "./draft.ts";
import { Section, type SectionProps } from "./section.tsx";

const text = texts("screenSettings");

type Screenshots = NonNullable<Settings["screenshots"]>;
type Side = keyof Screenshots["redact"][number];

/** The service's defaults. */
const usual: Screenshots = { every_s: null, format: "jpeg", quality: 70, max_width: 960, only_changed: true, redact: [] };
const intervals = [60, 300, 900, 3_600, 21_600, 86_400];
const sides: readonly Side[] = ["left", "top", "width", "height"];

export function PicturesSection({ draft: { settings, set }, isDisabled }: SectionProps) {
  const current = settings.screenshots ?? usual;
  const change = (next: Partial<Screenshots>): void => set("screenshots", { ...current, ...next });
  const choices = current.every_s === null || intervals.includes(current.every_s) ? intervals : [...intervals, current.every_s];
  const options = [
    { id: "never", name: text("everyNever") },
    ...choices.map((seconds) => ({ id: String(seconds), name: intervalName(seconds) })),
  ];
  return (
    <Section id="pictures" title={text("screenshots")}>
      <Select
        label={text("every")}
        options={options}
        selectedKey={current.every_s === null ? "never" : String(current.every_s)}
        onSelectionChange={(key) => change({ every_s: key === "never" ? null : Number(key) })}
        isDisabled={isDisabled}
      />
      {current.every_s === null ? null : (
        <Switch isSelected={current.only_changed} onChange={(isOn) => change({ only_changed: isOn })} isDisabled={isDisabled}>
          {text("onlyChanged")}
        </Switch>
      )}
      <fieldset className="editor stack top gap-2 shrink no-padding no-margin">
        <legend className="strong no-padding">{text("redact")}</legend>
        <p className="field-description">{text("redactAbout")}</p>
        {current.redact.map((rectangle, index) => (
          // Rectangles have no identity but their place.
          // oxlint-disable-next-line react/no-array-index-key
          <div key={index} className="rectangle grid bottom gap-2" role="group" aria-label={text("rectangle", { number: index + 1 })}>
            {sides.map((side) => (
              <NumberField
                key={side}
                label={text(side)}
                minValue={0}
                maxValue={100}
                value={rectangle[side]}
                isDisabled={isDisabled}
                onChange={(value) =>
                  change({
                    redact: current.redact.map((each, place) =>
                      place === index ? { ...each, [side]: Number.isNaN(value) ? 0 : value } : each,
                    ),
                  })
                }
              />
            ))}
            <Button
              kind="quiet"
              size="small"
              aria-label={text("removeRectangle", { number: index + 1 })}
              isDisabled={isDisabled}
              onPress={() => change({ redact: current.redact.filter((_, place) => place !== index) })}
            >
              <Icon name="trash" />
            </Button>
          </div>
        ))}
        {isDisabled || current.redact.length >= 20 ? null : (
          <Button size="small" onPress={() => change({ redact: [...current.redact, { left: 0, top: 0, width: 25, height: 25 }] })}>
            <Icon name="plus" /> {text("addRectangle")}
          </Button>
        )}
      </fieldset>
    </Section>
  );
}

function intervalName(seconds: number): string {
  if (seconds < 60) return text("everySeconds", { count: seconds });
  return seconds < 3_600 ? text("everyMinutes", { count: seconds / 60 }) : text("everyHours", { count: seconds / 3_600 });
}
