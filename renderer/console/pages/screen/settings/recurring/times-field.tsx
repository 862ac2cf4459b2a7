// Times of the day.
import { texts } from "../../../../i18n/texts.ts";
import { Button } from "../../../../ui/button.tsx";
import { Icon } from "../../../../ui/icon.tsx";
import { TextField } from "../../../../ui/text-field.tsx";

const text = texts("screenSettings");
/** How many a command can have. */
const mostTimes = 24;

export function TimesField({ value, onChange }: { value: readonly string[]; onChange: (times: readonly string[]) => void }) {
  return (
    <>
      <ol className="openings-list stack top gap-3">
        {value.map((time, index) => (
          // Times have no identity but their place.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index} className="flex bottom gap-2">
            <TextField
              label={text("recurringTime", { number: index + 1 })}
              type="time"
              value={time}
              onChange={(next) => onChange(value.with(index, next))}
            />
            {value.length === 1 ? null : (
              <Button
                kind="quiet"
                size="small"
                aria-label={text("recurringRemoveTime", { number: index + 1 })}
                onPress={() => onChange(value.toSpliced(index, 1))}
              >
                <Icon name="trash" />
              </Button>
            )}
          </li>
        ))}
      </ol>
      {value.length >= mostTimes ? null : (
        <div>
          <Button size="small" onPress={() => onChange([...value, ""])}>
            <Icon name="plus" /> {text("recurringAddTime")}
          </Button>
        </div>
      )}
    </>
  );
}
