// Time spans on some weekdays: opening hours, or times for downloads.
import "./settings.css";
import type { Schemas } from "../../../../../sdk/typescript/client.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { WeekdaysField } from "./weekdays-field.tsx";

const text = texts("screenSettings");

export type Opening = Schemas["Opening"];

/** A usual working day, to begin with. */
export const usualOpening: Opening = { from: "08:00", until: "20:00" };

/** True if all time spans are complete. */
export function areValid(openings: readonly Opening[] = []): boolean {
  return openings.every((opening) => opening.from !== "" && opening.until !== "" && !isEmpty(opening) && opening.weekdays?.length !== 0);
}

const isEmpty = ({ from, until }: Opening): boolean => from === until;

interface OpeningsEditorProps {
  value: readonly Opening[];
  onChange: (openings: Opening[]) => void;
  isDisabled: boolean;
  /** The days are given by something else, such as a calendar. */
  isAllWeek?: boolean;
}

export function OpeningsEditor({ value, onChange, isDisabled, isAllWeek = false }: OpeningsEditorProps) {
  const replace = (index: number, change: Partial<Opening>): void =>
    onChange(value.map((each, place) => (place === index ? { ...each, ...change } : each)));
  return (
    <div className="openings stack top gap-3">
      <ol className="openings-list stack top gap-3">
        {value.map((opening, index) => (
          // Time spans have no identity but their place.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index} className="opening wrap bottom gap-2-4">
            {isAllWeek && opening.weekdays === undefined ? null : (
              <WeekdaysField
                value={opening.weekdays}
                isDisabled={isDisabled}
                onChange={(days) => {
                  const { weekdays: _all, ...rest } = opening;
                  const next = days === undefined ? rest : { ...rest, weekdays: days };
                  onChange(value.map((each, place) => (place === index ? next : each)));
                }}
              />
            )}
            <div className="flex bottom gap-2">
              <TextField
                label={text("from")}
                type="time"
                value={opening.from}
                onChange={(from) => replace(index, { from })}
                isDisabled={isDisabled}
              />
              <TextField
                label={text("until")}
                type="time"
                // The field knows no 24:00.
                value={opening.until === "24:00" ? "00:00" : opening.until}
                onChange={(until) => replace(index, { until: until === "00:00" ? "24:00" : until })}
                isDisabled={isDisabled}
              />
              <Button
                kind="quiet"
                size="small"
                aria-label={text("removeOpening")}
                isDisabled={isDisabled}
                onPress={() => onChange(value.filter((each) => each !== opening))}
              >
                <Icon name="trash" />
              </Button>
            </div>
            {isEmpty(opening) ? <p className="field-error">{text("sameTimes")}</p> : null}
          </li>
        ))}
      </ol>
      {isDisabled ? null : (
        <Button size="small" onPress={() => onChange([...value, { ...usualOpening }])}>
          <Icon name="plus" /> {text("addOpening")}
        </Button>
      )}
    </div>
  );
}
