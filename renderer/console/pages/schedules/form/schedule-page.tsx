// A schedule: its form, its deletion, and the decision if somebody else has changed it meanwhile.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { focusHeading } from "../../../app/after-navigation.ts";
import { enterDraft } from "../../../data/draft.ts";
import { readAgain } from "../../../data/query-client.ts";
import { useAct } from "../../../data/use-act.ts";
import { useMay } from "../../../data/session.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Contradictions } from "../../../ui/contradictions.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Page } from "../../../ui/page.tsx";
import { ProblemMessage } from "../../../ui/problem-message.tsx";
import { showToast } from "../../../ui/toasts.tsx";
import { VersionsLink } from "../../drafts/editor-links.tsx";
import { deleteSchedule, isConflict, restoreSchedule, saveSchedule, scheduleQuery, type VersionedSchedule } from "../data.ts";
import { changeOf, valuesOf, type ScheduleChange } from "../model/form.ts";
import { mergeValues, type Part } from "../model/merge.ts";
import { ScheduleForm } from "./schedule-form.tsx";
import { useScheduleEdit } from "./use-schedule-edit.ts";

const text = texts("schedules");
const partNames = {
  name: "name",
  layout: "layout",
  where: "where",
  when: "when",
  exceptDates: "exceptDates",
  timezone: "timezone",
  conditions: "conditions",
  sharing: "sharing",
  priority: "priority",
  enabled: "enabled",
} as const satisfies Record<Part, string>;

export function SchedulePage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { data, error } = useQuery(scheduleQuery(id));
  return (
    <Page title={data?.schedule.name ?? text("title")}>
      <div className="cluster gap-2-4">
        <Link to="/schedules" className="self-start inline-row small tap">
          {text("back")}
        </Link>
        <VersionsLink id={id} />
      </div>
      <ProblemMessage error={error} />
      {data === undefined ? null : <Editor key={id} newest={data} />}
    </Page>
  );
}

function Editor({ newest }: { newest: VersionedSchedule }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { values, base, contradictions, edit, choose, reset } = useScheduleEdit(newest);
  const { schedule } = newest;
  const saving = useMutation({
    mutationFn: async (change: ScheduleChange) => {
      try {
        return await saveSchedule(schedule.id, change, base.etag);
      } catch (error) {
        if (!isConflict(error)) throw error;
        const theirs = await readAgain(scheduleQuery(schedule.id));
        const both = mergeValues(valuesOf(base.schedule), values, valuesOf(theirs.schedule));
        // It is asked about as soon as the form has theirs.
        if (both.contradictions.length > 0) throw error;
        return saveSchedule(schedule.id, changeOf(both.values, theirs.schedule), theirs.etag);
      }
    },
    onSuccess: (result) => {
      queries.setQueryData(scheduleQuery(schedule.id).queryKey, result);
      void queries.invalidateQueries({ queryKey: ["schedules"] });
      reset();
      // The button that was pressed has nothing to save any more.
      requestAnimationFrame(focusHeading);
      showToast({ message: text("saved", { name: result.schedule.name }) });
    },
  });
  const deleting = useAct({
    run: async () => {
      // This page would ask for a schedule that is no longer there.
      await navigate({ to: "/schedules" });
      await deleteSchedule(schedule.id);
    },
    changes: ["schedules"],
    toast: () => ({
      message: text("deleted", { name: schedule.name }),
      undo: async () => {
        await restoreSchedule(schedule.id);
        await queries.invalidateQueries({ queryKey: ["schedules"] });
      },
    }),
  });
  const mayWrite = useMay("schedules:write");
  return (
    <>
      <p className="faint">{schedule.summary}</p>
      {schedule.warnings.map(({ code, message }) => (
        <p key={code} className="row gap-2 warn">
          <Icon name="warning" /> {message}
        </p>
      ))}
      <Contradictions title={text("conflictTitle")} parts={contradictions.map((part) => text(partNames[part]))} choose={choose} />
      <ScheduleForm
        values={values}
        onChange={edit}
        before={base.schedule}
        mayWrite={mayWrite}
        isUndecided={contradictions.length > 0}
        saving={isConflict(saving.error) ? { isPending: saving.isPending, error: null } : saving}
        onSave={saving.mutate}
        onSaveToDraft={async (change, draft) => {
          // Saved first: the entered values are only on this page, which is left for the draft.
          await saveSchedule(schedule.id, change, base.etag, draft.id);
          await enterDraft(draft);
        }}
        otherActions={
          <Button isPending={deleting.isPending} onPress={() => deleting.mutate()}>
            {text("delete")}
          </Button>
        }
      />
    </>
  );
}
