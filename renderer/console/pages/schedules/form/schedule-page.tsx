// A schedule: its form, its deletion, and what to do if somebody else has changed it meanwhile.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { enterDraft } from "../../../data/draft.ts";
import { useAct } from "../../../data/use-act.ts";
import { useMay } from "../../../data/session.ts";
import { schedules } from "../../../i18n/en/schedules.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Page } from "../../../ui/page.tsx";
import { ProblemMessage } from "../../../ui/problem-message.tsx";
import { showToast } from "../../../ui/toasts.tsx";
import { VersionsLink } from "../../drafts/editor-links.tsx";
import { deleteSchedule, isConflict, restoreSchedule, saveSchedule, scheduleQuery, type VersionedSchedule } from "../data.ts";
import { valuesOf, type ScheduleChange, type Values } from "../model/form.ts";
import { ScheduleForm } from "./schedule-form.tsx";

const text = texts(schedules);

export function SchedulePage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { data, error } = useQuery(scheduleQuery(id));
  return (
    <Page title={data?.schedule.name ?? text("title")}>
      <div className="schedule-links">
        <Link to="/schedules" className="schedule-back">
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
  // What was read when editing began: a change by somebody else must not replace what is being entered.
  const [base, setBase] = useState(newest);
  const [values, setValues] = useState<Values | null>(null);
  const { schedule, etag } = values === null ? newest : base;
  const edit = (next: Values): void => {
    if (values === null) setBase(newest);
    setValues(next);
  };
  const saving = useMutation({
    mutationFn: ({ change, version }: { change: ScheduleChange; version: string | null }) => saveSchedule(schedule.id, change, version),
    onSuccess: (saved) => {
      queries.setQueryData(scheduleQuery(schedule.id).queryKey, saved);
      void queries.invalidateQueries({ queryKey: ["schedules"] });
      setValues(null);
      showToast({ message: text("saved", { name: saved.schedule.name }) });
    },
    onError: (error) => (isConflict(error) ? void queries.invalidateQueries({ queryKey: scheduleQuery(schedule.id).queryKey }) : undefined),
  });
  const deleting = useAct({
    run: () => deleteSchedule(schedule.id),
    changes: ["schedules"],
    done: () => ({
      message: text("deleted", { name: schedule.name }),
      undo: async () => {
        await restoreSchedule(schedule.id);
        await queries.invalidateQueries({ queryKey: ["schedules"] });
      },
    }),
    after: () => void navigate({ to: "/schedules" }),
  });
  const mayWrite = useMay("schedules:write");
  const hasConflict = isConflict(saving.error);
  const shown = values ?? valuesOf(schedule);
  return (
    <>
      <p className="faint">{schedule.summary}</p>
      {schedule.warnings.map(({ code, message }) => (
        <p key={code} className="schedule-warning">
          <Icon name="warning" /> {message}
        </p>
      ))}
      {hasConflict ? (
        <div className="schedule-conflict" role="alert">
          <div>
            <strong>{text("conflictTitle")}</strong>
            <p>{text("conflictText")}</p>
          </div>
          <Button
            onPress={() => {
              setValues(null);
              saving.reset();
            }}
          >
            {text("takeTheirs")}
          </Button>
          <Button kind="primary" onPress={() => saving.mutate({ change: saving.variables!.change, version: newest.etag })}>
            {text("keepMine")}
          </Button>
        </div>
      ) : null}
      <ScheduleForm
        values={shown}
        onChange={edit}
        before={schedule}
        mayWrite={mayWrite}
        saving={hasConflict ? { isPending: saving.isPending, error: null } : saving}
        onSave={(change) => saving.mutate({ change, version: etag })}
        onSaveToDraft={async (change, draft) => {
          // Saved first: what is entered is only on this page, which is left for the draft.
          await saveSchedule(schedule.id, change, etag, draft.id);
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
