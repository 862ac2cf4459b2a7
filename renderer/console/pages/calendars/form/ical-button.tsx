// Reads the dates of an iCalendar file into the form. The service reads the file, and stores nothing.
import { useState } from "react";
import { FileTrigger } from "react-aria-components";
import { useAct } from "../../../data/use-act.ts";
import { readable } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { showToast } from "../../../ui/toasts.tsx";
import { readIcal } from "../data.ts";
import { calendarOf, withCalendar, withDates, type CalendarDay, type Values } from "../model/dates.ts";

const text = texts("common", "calendars");

interface IcalButtonProps {
  values: Values;
  onChange: (values: Values) => void;
}

interface Found {
  file: string;
  dates: readonly CalendarDay[];
  warnings: readonly { code: string; message: string }[];
}

export function IcalButton({ values, onChange }: IcalButtonProps) {
  const [matches, setMatches] = useState<Found | null>(null);
  const reading = useAct({
    run: async (file: File): Promise<Found> => ({ file: file.name, ...(await readIcal(await file.text())) }),
    changes: [],
    after: (next) => setMatches(next),
  });
  const take = (dates: readonly CalendarDay[], count: number): void => {
    const { name } = values;
    onChange(withCalendar(values, { name: name === "" ? nameOf(matches!.file) : name, dates }));
    setMatches(null);
    showToast({ message: text("imported", { count }) });
  };
  const { dates: before } = calendarOf(values);
  return (
    <>
      <FileTrigger
        acceptedFileTypes={[".ics", ".ical", "text/calendar"]}
        onSelect={(files) => {
          const file = files?.[0];
          if (file !== undefined) reading.mutate(file);
        }}
      >
        <Button isPending={reading.isPending}>
          <Icon name="upload" /> {text("import")}
        </Button>
      </FileTrigger>
      {matches === null ? null : (
        <Dialog
          title={text("importTitle", { count: matches.dates.length, file: matches.file })}
          isOpen
          onClose={() => setMatches(null)}
          size="small"
          actions={
            <>
              <Button onPress={() => setMatches(null)}>{text("cancel")}</Button>
              {before.length === 0 ? null : (
                <Button onPress={() => take(matches.dates, matches.dates.length)}>{text("importReplace")}</Button>
              )}
              <Button kind="primary" onPress={() => take(withDates(before, matches.dates), matches.dates.length)}>
                {text("importAdd")}
              </Button>
            </>
          }
        >
          <p className="faint">{text("importText")}</p>
          {matches.warnings.length === 0 ? null : (
            <section className="stack gap-2 above-3">
              <h3>{text("importLeftOut")}</h3>
              <ul>
                {matches.warnings.map(({ code, message }) => (
                  <li className="break-words" key={`${code} ${message}`}>
                    {readable(message)}
                  </li>
                ))}
              </ul>
            </section>
          )}
        </Dialog>
      )}
    </>
  );
}

/** The name of a file without its ending. */
function nameOf(file: string): string {
  return file.replace(/\.[a-z]+$/i, "").slice(0, 200);
}
