// The dates on which a recurring schedule does not begin.
import { texts } from "../../../i18n/texts.ts";
import { formatDate } from "../../../i18n/format.ts";
import { Button } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { useState } from "react";

const text = texts("schedules");

interface ExceptDatesProps {
  dates: readonly string[];
  error: string | undefined;
  onChange: (dates: string[]) => void;
}

export function ExceptDates({ dates, error, onChange }: ExceptDatesProps) {
  const [newDate, setNewDate] = useState("");
  const add = (): void => {
    if (newDate !== "" && !dates.includes(newDate)) onChange([...dates, newDate].toSorted());
    setNewDate("");
  };
  return (
    <div className="except-dates" role="group" aria-label={text("exceptDates")}>
      <div className="when-row wrap bottom gap-3">
        <TextField label={text("exceptDates")} type="date" value={newDate} onChange={setNewDate} error={error} />
        <Button onPress={add} isDisabled={newDate === ""}>
          <Icon name="plus" /> {text("addDate")}
        </Button>
      </div>
      {dates.length === 0 ? null : (
        <ul className="except-list wrap gap-2 above-2">
          {dates.map((date) => (
            <li key={date} className="chip inline-row gap-1 sunken round small strong accent">
              {formatDate(date)}
              <Button
                kind="quiet"
                size="small"
                aria-label={text("removeDate", { date: formatDate(date) })}
                onPress={() => onChange(dates.filter((each) => each !== date))}
              >
                <Icon name="close" />
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
