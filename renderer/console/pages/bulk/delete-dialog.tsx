// The dialog that moves many screens to the bin.
import { useMemo, useRef, useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { select } from "../../data/selection.ts";
import { texts } from "../../i18n/texts.ts";
import { showToast } from "../../ui/toasts.tsx";
import { BulkDialog, type BulkDialogProps } from "./bulk-dialog.tsx";
import { deleteAct, restoreScreens } from "./delete-act.ts";

const text = texts("bulk");
const words = { forecast: "previewDelete", run: "runDelete" } as const;

export function DeleteDialog(props: BulkDialogProps) {
  const queries = useQueryClient();
  const [schedules, setSchedules] = useState(0);
  const act = useMemo(() => deleteAct(setSchedules), []);
  const announcedIds = useRef<ReadonlySet<string>>(new Set());
  const tell = (deletedIds: readonly string[]): void => {
    // After a retry, those of the first try were told already.
    const newIds = deletedIds.filter((id) => !announcedIds.current.has(id));
    announcedIds.current = new Set(deletedIds);
    if (newIds.length === 0) return;
    select(newIds, false);
    showToast({
      message: text("deleted", { count: newIds.length }),
      undo: async () => {
        select(await restoreScreens(newIds));
        await queries.invalidateQueries({ queryKey: ["players"] });
      },
    });
    if (deletedIds.length === props.ids.length) props.onClose();
  };
  return (
    <BulkDialog
      {...props}
      title={text("deleteTitle", { count: props.ids.length })}
      act={act}
      actKey="delete"
      words={words}
      isDangerous
      onDone={tell}
    >
      <p>{text("deleteText")}</p>
      {schedules === 0 ? null : <p>{text("deleteSchedules", { count: schedules })}</p>}
    </BulkDialog>
  );
}
