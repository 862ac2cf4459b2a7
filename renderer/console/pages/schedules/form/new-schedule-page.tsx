// A new schedule.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { hourMs, iso, minuteMs } from "../../../../../src/base/time.ts";
import { enterDraft } from "../../../data/draft.ts";
import { useMay } from "../../../data/session.ts";
import { texts } from "../../../i18n/texts.ts";
import { Page } from "../../../ui/page.tsx";
import { showToast } from "../../../ui/toasts.tsx";
import { noTarget } from "../../show/target.ts";
import { createSchedule, deleteSchedule } from "../data.ts";
import { newValues, type ScheduleChange } from "../model/form.ts";
import type { NewScheduleSearch } from "../routes.ts";
import { ScheduleForm } from "./schedule-form.tsx";

const text = texts("schedules");

export function NewSchedulePage() {
  const { layout, screen, from, until }: NewScheduleSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [values, setValues] = useState(() => ({
    ...newValues(...timesFor(from, until)),
    ...(layout === undefined ? {} : { layoutId: layout }),
    ...(screen === undefined ? {} : { target: { ...noTarget, players: [screen] } }),
  }));
  const saving = useMutation({
    mutationFn: (change: ScheduleChange) => createSchedule(change),
    onSuccess: ({ id, name, starts_at }) => {
      void queries.invalidateQueries({ queryKey: ["schedules"] });
      const undo = async (): Promise<void> => {
        await deleteSchedule(id);
        await queries.invalidateQueries({ queryKey: ["schedules"] });
      };
      showToast({ message: text("created", { name }), undo });
      void navigate({ to: "/schedules", search: { day: starts_at.slice(0, 10) } });
    },
  });
  return (
    <Page title={text("create")}>
      <Link to="/schedules" className="self-start inline-row small tap">
        {text("back")}
      </Link>
      <ScheduleForm
        values={values}
        onChange={setValues}
        before={null}
        mayWrite={useMay("schedules:write")}
        saving={saving}
        onSave={saving.mutate}
        onSaveToDraft={async (change, draft) => {
          const { starts_at } = await createSchedule(change, draft.id);
          await enterDraft(draft);
          void navigate({ to: "/schedules", search: { day: starts_at.slice(0, 10) } });
        }}
      />
    </Page>
  );
}

/** The times in the address, or the next full hour. */
function timesFor(from: string | undefined, until: string | undefined): [from: string, until: string] {
  if (from !== undefined && until !== undefined && from.length === until.length) return [from, until];
  const next = new Date();
  next.setHours(next.getHours() + 1, 0, 0, 0);
  const wall = (at: number): string => iso(at - next.getTimezoneOffset() * minuteMs).slice(0, 16);
  return [wall(next.getTime()), wall(next.getTime() + 2 * hourMs)];
}
