// A new calendar.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { enterDraft } from "../../data/draft.ts";
import { useMay } from "../../data/session.ts";
import { texts } from "../../i18n/texts.ts";
import { Page } from "../../ui/page.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { createCalendar, deleteCalendar } from "./data.ts";
import { CalendarFields } from "./form/calendar-fields.tsx";
import { calendarOf, valuesOf } from "./model/dates.ts";

const text = texts("calendars");

export function NewCalendarPage() {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [values, setValues] = useState(() => valuesOf({ name: "", dates: [] }));
  const saving = useMutation({
    mutationFn: () => createCalendar(calendarOf(values)),
    onSuccess: ({ id, name }) => {
      void queries.invalidateQueries({ queryKey: ["calendars"] });
      const undo = async (): Promise<void> => {
        await deleteCalendar(id);
        await queries.invalidateQueries({ queryKey: ["calendars"] });
      };
      showToast({ message: text("created", { name }), undo });
      void navigate({ to: "/calendars" });
    },
  });
  return (
    <Page title={text("create")}>
      <Link to="/calendars" className="self-start inline-row small tap">
        {text("back")}
      </Link>
      <CalendarFields
        values={values}
        onChange={setValues}
        isNew
        mayWrite={useMay("schedules:write")}
        isSavable
        saving={saving}
        onSave={saving.mutate}
        onSaveToDraft={async (draft) => {
          await createCalendar(calendarOf(values), draft.id);
          await enterDraft(draft);
          void navigate({ to: "/calendars" });
        }}
      />
    </Page>
  );
}
