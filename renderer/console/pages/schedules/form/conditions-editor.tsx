// The conditions besides times, of a schedule or an item: hours, dates, calendars, and tags and variables of screens.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState, type RefObject } from "react";
import { useMay } from "../../../data/session.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { isInField } from "../../../ui/in-field.ts";
import { MenuButton } from "../../../ui/menu-button.tsx";
import { DatesDialog } from "../../screen/settings/dates-dialog.tsx";
import { useTeamScreens } from "../../show/team-screens.ts";
import { calendarsQuery } from "../data.ts";
import type { Condition } from "../model/conditions.ts";
import { ConditionRow } from "./condition-row.tsx";
import "./conditions.css";

const text = texts("schedules");

interface ConditionsEditorProps {
  conditions: readonly Condition[];
  most: number;
  /** The text while there are none. */
  hint: string;
  /** Of a new condition of days. Without it, neither days nor hours can be added. */
  startDate?: string;
  isDisabled: boolean;
  onChange: (conditions: readonly Condition[]) => void;
}

export function ConditionsEditor({ conditions, most, hint, startDate, isDisabled, onChange }: ConditionsEditorProps) {
  const [list, focusAdded] = useFocusOfAdded();
  const add = (condition: Condition): void => {
    onChange([...conditions, condition]);
    focusAdded();
  };
  const [isNaming, setIsNaming] = useState(false);
  const mayWriteCalendars = useMay("schedules:write");
  const { data: calendars = [] } = useQuery(calendarsQuery);
  const screens = useTeamScreens();
  const tags = [...new Set(screens?.flatMap((screen) => screen.tags))].toSorted((a, b) => a.localeCompare(b));
  const replace = (index: number, condition: Condition | null): void =>
    onChange(condition === null ? conditions.toSpliced(index, 1) : conditions.with(index, condition));
  const [calendar] = calendars;
  const [tag] = tags;
  return (
    <div className="conditions stack gap-3">
      {conditions.length === 0 ? <p className="field-description">{hint}</p> : null}
      {conditions.length === 0 ? null : (
        <ol ref={list} className="condition-list stack gap-3">
          {conditions.map((condition, index) => (
            // Conditions have no identity but their place.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={index} className="condition flex bottom gap-2">
              <div className="condition-parts flex bottom gap-2" data-type={condition.type}>
                <ConditionRow
                  condition={condition}
                  calendars={calendars}
                  tags={tags}
                  isDisabled={isDisabled}
                  onChange={(next) => replace(index, next)}
                />
              </div>
              {isDisabled ? null : (
                <Button kind="quiet" size="small" aria-label={text("removeCondition")} onPress={() => replace(index, null)}>
                  <Icon name="trash" />
                </Button>
              )}
            </li>
          ))}
        </ol>
      )}
      {isDisabled || conditions.length >= most ? null : (
        <MenuButton
          label={text("addCondition")}
          isNamed
          actions={[
            ...(startDate === undefined
              ? []
              : [
                  { name: text("someHours"), run: () => add({ type: "daypart", from: "08:00", until: "20:00" }) },
                  { name: text("someDates"), run: () => add({ type: "date", from: startDate }) },
                ]),
            ...(calendar === undefined
              ? []
              : [{ name: text("addCalendar"), run: () => add({ type: "calendar", calendar_id: calendar.id, is_listed: false }) }]),
            ...(mayWriteCalendars ? [{ name: text("newCalendar"), run: () => setIsNaming(true) }] : []),
            ...(tag === undefined ? [] : [{ name: text("addTag"), run: () => add({ type: "tag", tag, is_present: true }) }]),
            { name: text("addVariable"), run: () => add({ type: "variable", name: "", op: "equals", value: "" }) },
          ]}
        />
      )}
      {isNaming ? (
        <DatesDialog
          calendar={null}
          onClose={() => setIsNaming(false)}
          onSaved={({ id }) => add({ type: "calendar", calendar_id: id, is_listed: false })}
        />
      ) : null}
    </div>
  );
}

/** A function that puts the focus into the condition that was just added, once the menu has given it back. */
function useFocusOfAdded(): [list: RefObject<HTMLOListElement | null>, focusAdded: () => void] {
  const list = useRef<HTMLOListElement>(null);
  const [addCount, setAddCount] = useState(0);
  useEffect(() => {
    if (addCount === 0) return undefined;
    let frame = 0;
    // Menus and dialogs give the focus back in the second frame after they have closed.
    const wait = (frames: number): void => {
      frame = requestAnimationFrame(() => (frames > 1 ? wait(frames - 1) : focus()));
    };
    const focus = (): void => {
      if (!isInField()) list.current?.querySelector<HTMLElement>(":scope > :last-child :is(input, button)")?.focus();
    };
    wait(3);
    return () => cancelAnimationFrame(frame);
  }, [addCount]);
  return [list, () => setAddCount(addCount + 1)];
}
