// Asks before a schedule that was moved in the calendar is saved: all of a series or one of its days, and shows the effect.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { dayMs } from "../../../../../src/base/time.ts";
import { isDate } from "../../../../../src/protocol/scheduling/moments.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { ProblemMessage } from "../../../ui/problem-message.tsx";
import { Segments } from "../../../ui/segments.tsx";
import { showToast } from "../../../ui/toasts.tsx";
import { createSchedule, deleteSchedule, readEffect, saveSchedule, type TriedChange } from "../data.ts";
import { EffectText } from "../effect-text.tsx";
import type { ScheduleChange } from "../model/form.ts";
import { movedAll, splitWindow } from "../model/move.ts";
import { wallDay, wallMoment } from "./names.ts";
import type { Moving } from "./use-moving.ts";

const text = texts("common", "schedules");

export function MoveDialog({ moving: { due, shift }, onClose }: { moving: Moving; onClose: () => void }) {
  const { schedule, from, until } = due;
  const queries = useQueryClient();
  const all = movedAll(schedule, shift);
  const one = schedule.rrule === null ? null : splitWindow(schedule, from, until, shift);
  const [which, setWhich] = useState<"all" | "one">(all === null ? "one" : "all");
  const changes: TriedChange[] =
    which === "all" || one === null
      ? [{ schedule_id: schedule.id, change: all }]
      : [
          { schedule_id: schedule.id, change: one.leaveOut },
          { schedule_id: null, change: newOf(one.alone) },
        ];
  const effect = useQuery({
    queryKey: ["schedules", "effect", changes],
    queryFn: ({ signal }) => readEffect(changes, Math.min(from, from + shift.start), signal),
    retry: false,
  });
  const moving = useMutation({
    mutationFn: async (): Promise<() => Promise<unknown>> => {
      const { starts_at, ends_at, rrule, exdates } = schedule;
      if (which === "all" || one === null) {
        await saveSchedule(schedule.id, all!, null);
        return () => saveSchedule(schedule.id, { starts_at, ends_at, rrule, exdates }, null);
      }
      const { id } = await createSchedule(newOf(one.alone));
      try {
        await saveSchedule(schedule.id, one.leaveOut, null);
      } catch (error) {
        await deleteSchedule(id);
        throw error;
      }
      return async () => {
        await saveSchedule(schedule.id, { exdates }, null);
        await deleteSchedule(id);
      };
    },
    onSuccess: (takeBack) => {
      const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: ["schedules"] });
      const undo = async (): Promise<void> => {
        await takeBack();
        await refresh();
      };
      showToast({ message: text("moved", { name: schedule.name }), undo });
      // The window stays at its new place until the calendar has read it there.
      return refresh().then(onClose);
    },
  });
  const nameOf = isDate(schedule.starts_at) ? wallDay : wallMoment;
  const end = until + shift.end - (isDate(schedule.starts_at) ? dayMs : 0);
  return (
    <Dialog
      title={text("moveTitle", { name: schedule.name })}
      isOpen
      onClose={onClose}
      size="small"
      actions={
        <>
          <Button onPress={onClose}>{text("cancel")}</Button>
          <Button kind="primary" isPending={moving.isPending} onPress={() => moving.mutate()}>
            {text("moveDo")}
          </Button>
        </>
      }
    >
      <p>{text("moveTo", { from: nameOf(from + shift.start), to: nameOf(end) })}</p>
      {one === null ? null : all === null ? (
        <p className="faint">{text("moveNotAll")}</p>
      ) : (
        <Segments
          isLabelHidden
          label={text("moveWhich")}
          value={which}
          onChange={setWhich}
          options={[
            { id: "all", name: text("moveAll") },
            { id: "one", name: text("moveOne") },
          ]}
        />
      )}
      <div role="status" aria-busy={effect.isFetching}>
        {effect.data === undefined ? null : <EffectText effect={effect.data} changes={changes} />}
        {effect.isPending ? <p className="faint">{text("effectChecking")}</p> : null}
      </div>
      <ProblemMessage error={moving.error ?? effect.error} />
    </Dialog>
  );
}

/** The fields of a new schedule like another one. */
function newOf({
  id: _id,
  created_at: _created,
  updated_at: _updated,
  deleted_at: _deleted,
  ...fields
}: Moving["due"]["schedule"]): ScheduleChange {
  return fields;
}
