// Shows something on screens from any page: opened with a file, or with screens. Afterwards it tells where it has arrived.
import { useMutation } from "@tanstack/react-query";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { Arrival } from "./arrival.tsx";
import type { Asset } from "./draft.ts";
import { ShowFields } from "./show-fields.tsx";
import { restoreShow, stopShow, type Show, type ShowEntry } from "./shows.ts";
import type { Target } from "./target.ts";
import { useShow } from "./use-show.ts";
import "./show.css";

const text = texts("show");

export interface ShowDialogProps {
  onClose: () => void;
  /** The file to show, such as one that was dropped onto a screen. */
  asset?: Asset;
  /** Where to show it. */
  target?: Target;
}

/** Other pages open it by `requestShow` (data/show-request.ts). */
export function ShowDialog({ onClose, asset, target }: ShowDialogProps) {
  const form = useShow({ ...(asset === undefined ? {} : { asset }), ...(target === undefined ? {} : { target }) });
  const { sending, outlook, isComplete } = form;
  if (sending.data !== undefined) return <RunningShow show={sending.data} onClose={onClose} />;
  const actions = (
    <Button kind="primary" isDisabled={!isComplete} isPending={sending.isPending} onPress={() => sending.mutate()}>
      {text("show", { count: isComplete ? (outlook?.player_count ?? 0) : 0 })}
    </Button>
  );
  return (
    <Dialog title={text("dialogTitle")} isOpen onClose={onClose} size="large" actions={actions}>
      <ShowFields form={form} isFileGiven={asset !== undefined} />
    </Dialog>
  );
}

function RunningShow({ show, onClose }: { show: Show; onClose: () => void }) {
  const stopping = useMutation({ mutationFn: () => stopShow(show), onSuccess: onClose });
  const actions = (
    <>
      <Button isPending={stopping.isPending} onPress={() => stopping.mutate()}>
        {text("stop")}
      </Button>
      <Button kind="primary" onPress={onClose} autoFocus>
        {text("done")}
      </Button>
    </>
  );
  return (
    <Dialog title={text("sent", { name: show.name })} isOpen onClose={onClose} actions={actions}>
      <Arrival showId={show.id} />
      <ProblemMessage error={stopping.error} />
    </Dialog>
  );
}

/** Stops a show at once, and offers to undo that. */
export async function stopWithUndo(show: ShowEntry): Promise<void> {
  await stopShow(show);
  const undo = { undo: () => restoreShow(show) };
  showToast({ message: text("stopped", { name: show.name }), ...(show.is_emergency ? {} : undo) });
}
