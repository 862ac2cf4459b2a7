// A calendar: its form, where it is used, its deletion, and the decision if somebody else has changed it meanwhile.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { focusHeading } from "../../app/after-navigation.ts";
import { enterDraft } from "../../data/draft.ts";
import { readAgain } from "../../data/query-client.ts";
import { useMay } from "../../data/session.ts";
import { formatDate } from "../../i18n/format.ts";
import { texts } from "../../i18n/texts.ts";
import { Contradictions } from "../../ui/contradictions.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { calendarQuery, isConflict, saveCalendar, usesQuery, type VersionedCalendar } from "./data.ts";
import { DeleteButton } from "./delete-button.tsx";
import { CalendarEffect } from "./form/calendar-effect.tsx";
import { CalendarFields } from "./form/calendar-fields.tsx";
import { UsesText } from "./form/calendar-uses.tsx";
import { calendarOf, changeOf, firstDifference, mergeCalendars, type Part } from "./model/dates.ts";
import { useCalendarEdit } from "./use-calendar-edit.ts";

const text = texts("calendars");

export function CalendarPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { data, error } = useQuery(calendarQuery(id));
  return (
    <Page title={data?.calendar.name ?? text("title")}>
      <Link to="/calendars" className="self-start inline-row small tap">
        {text("back")}
      </Link>
      <ProblemMessage error={error} />
      {data === undefined ? null : <Editor key={id} newest={data} />}
    </Page>
  );
}

function Editor({ newest }: { newest: VersionedCalendar }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const mayWrite = useMay("schedules:write");
  const { values, base, contradictions, edit, choose, reset } = useCalendarEdit(newest);
  const { id } = newest.calendar;
  const { data: uses } = useQuery(usesQuery(id));
  const editedCalendar = calendarOf(values);
  const change = changeOf(base.calendar, editedCalendar);
  const saving = useMutation({
    mutationFn: async () => {
      try {
        return await saveCalendar(id, change ?? {}, base.etag);
      } catch (error) {
        if (!isConflict(error)) throw error;
        const theirs = await readAgain(calendarQuery(id));
        const both = mergeCalendars(base.calendar, editedCalendar, theirs.calendar);
        // It is asked about as soon as the form has theirs.
        if (both.contradictions.length > 0) throw error;
        return saveCalendar(id, changeOf(theirs.calendar, both.calendar) ?? {}, theirs.etag);
      }
    },
    onSuccess: (result) => {
      queries.setQueryData(calendarQuery(id).queryKey, result);
      void queries.invalidateQueries({ queryKey: ["calendars"] });
      reset();
      // The button that was pressed has nothing to save any more.
      requestAnimationFrame(focusHeading);
      const takenBack = changeOf(result.calendar, base.calendar);
      const undo = async (): Promise<void> => {
        await saveCalendar(id, takenBack ?? {}, result.etag);
        await queries.invalidateQueries({ queryKey: ["calendars"] });
      };
      showToast({ message: text("saved", { name: result.calendar.name }), ...(takenBack === null ? {} : { undo }) });
    },
  });
  return (
    <>
      <Contradictions title={text("conflictTitle")} parts={contradictions.map(partName)} choose={choose} />
      <CalendarFields
        values={values}
        onChange={edit}
        isNew={false}
        mayWrite={mayWrite}
        isSavable={change !== null && contradictions.length === 0}
        saving={isConflict(saving.error) ? { isPending: saving.isPending, error: null } : saving}
        onSave={saving.mutate}
        onSaveToDraft={async (draft) => {
          // Saved first: the entered values are only on this page, which is left for the draft.
          await saveCalendar(id, change ?? {}, base.etag, draft.id);
          await enterDraft(draft);
        }}
        otherActions={<DeleteButton calendar={base.calendar} onDelete={() => navigate({ to: "/calendars" })} />}
      >
        <CalendarEffect id={id} change={change} first={firstDifference(base.calendar, editedCalendar)} />
        <section className="card effect-panel" aria-labelledby="calendar-uses-title">
          <h2 id="calendar-uses-title">{text("uses")}</h2>
          {uses === undefined ? null : <UsesText uses={uses} />}
        </section>
      </CalendarFields>
    </>
  );
}

function partName(part: Part): string {
  return part.is === "name" ? text("name") : formatDate(part.date);
}
