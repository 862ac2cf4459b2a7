// The dates of a calendar with their names, one row for each.
import { useEffect, useRef, useState } from "react";
import { formatDate } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { duplicateRows, withRow, type Row, type Values } from "../model/dates.ts";

const text = texts("calendars");
/** A calendar has up to 2,000 dates. */
const mostShown = 60;

interface DateRowsProps {
  values: Values;
  mayWrite: boolean;
  onChange: (values: Values) => void;
}

export function DateRows({ values, mayWrite, onChange }: DateRowsProps) {
  const [isWhole, setIsWhole] = useState(false);
  const list = useRef<HTMLOListElement>(null);
  const [addCount, setAddCount] = useState(0);
  useEffect(() => {
    if (addCount > 0) list.current?.querySelector<HTMLElement>(":scope > :last-child input")?.focus();
  }, [addCount]);
  const { rows } = values;
  const visibleRows = isWhole ? rows : soonRows(rows);
  const duplicates = duplicateRows(rows);
  const replace = (row: Row, next: Partial<Row>): void =>
    onChange({ ...values, rows: rows.map((each) => (each === row ? { ...row, ...next } : each)) });
  return (
    <div className="stack top gap-3" role="group" aria-label={text("dates")}>
      {rows.length === 0 ? <p className="faint">{text("noDates")}</p> : null}
      {visibleRows.length < rows.length ? (
        <Button size="small" onPress={() => setIsWhole(true)}>
          {text("showAll", { count: rows.length })}
        </Button>
      ) : null}
      <ol ref={list} className="date-rows stack gap-3 full-width">
        {visibleRows.map((row, index) => {
          const day = row.date === "" ? text("newDay") : formatDate(row.date);
          return (
            <li key={row.key} className="date-row grid bottom gap-2" aria-label={row.name === "" ? day : row.name}>
              <TextField
                label={text("date")}
                type="date"
                value={row.date}
                onChange={(date) => replace(row, { date })}
                error={duplicates.has(row.key) ? text("twice") : undefined}
                isReadOnly={!mayWrite}
              />
              <TextField
                label={text("dayName")}
                value={row.name}
                onChange={(name) => replace(row, { name })}
                maxLength={200}
                isReadOnly={!mayWrite}
              />
              {mayWrite ? (
                <Button
                  kind="quiet"
                  aria-label={text("remove", { day: row.date === "" ? text("row", { number: index + 1 }) : day })}
                  onPress={() => onChange({ ...values, rows: rows.filter((each) => each !== row) })}
                >
                  <Icon name="trash" />
                </Button>
              ) : null}
            </li>
          );
        })}
      </ol>
      {mayWrite ? (
        <Button
          onPress={() => {
            onChange(withRow(values));
            setAddCount(addCount + 1);
          }}
        >
          <Icon name="plus" /> {text("add")}
        </Button>
      ) : null}
    </div>
  );
}

/** New rows, and the next dates from today on. */
function soonRows(rows: readonly Row[]): readonly Row[] {
  const today = new Date().toISOString().slice(0, 10);
  const coming = new Set(rows.filter(({ date, isNew }) => !isNew && date >= today).slice(0, mostShown));
  const visibleRows = rows.filter((row) => row.isNew || coming.has(row));
  return visibleRows.length === 0 ? rows.slice(-mostShown) : visibleRows;
}
