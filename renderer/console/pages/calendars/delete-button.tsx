// Deletes a calendar, or names the obstacle.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Calendar } from "../../data/calendars.ts";
import { useAct } from "../../data/use-act.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { createCalendar, deleteCalendar, usesQuery, type CalendarUses } from "./data.ts";
import { isUsed, UsesText } from "./form/calendar-uses.tsx";

const text = texts("common", "calendars");

interface DeleteButtonProps {
  calendar: Calendar;
  /** Leaves its page, which would ask for a calendar that is no longer there. */
  onDelete: () => Promise<void>;
}

export function DeleteButton({ calendar, onDelete }: DeleteButtonProps) {
  const queries = useQueryClient();
  const [inTheWay, setInTheWay] = useState<CalendarUses | null>(null);
  const { id, name } = calendar;
  const deleting = useAct({
    run: async () => {
      await onDelete();
      await deleteCalendar(id);
    },
    changes: ["calendars"],
    toast: () => ({
      message: text("deleted", { name }),
      undo: async () => {
        // Nothing refers to it: another one with its name and its dates takes its place.
        await createCalendar(calendar);
        await queries.invalidateQueries({ queryKey: ["calendars"] });
      },
    }),
  });
  const looking = useAct({
    run: () => queries.fetchQuery(usesQuery(id)),
    changes: [],
    after: (uses) => (isUsed(uses) ? setInTheWay(uses) : deleting.mutate()),
  });
  return (
    <>
      <Button isPending={looking.isPending || deleting.isPending} onPress={() => looking.mutate()}>
        {text("delete")}
      </Button>
      {inTheWay === null ? null : (
        <Dialog
          title={text("cannotDelete", { name })}
          isOpen
          onClose={() => setInTheWay(null)}
          size="small"
          actions={<Button onPress={() => setInTheWay(null)}>{text("close")}</Button>}
        >
          <p>{text("cannotDeleteText")}</p>
          <UsesText uses={inTheWay} />
        </Dialog>
      )}
    </>
  );
}
