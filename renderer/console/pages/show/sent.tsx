// The show that was just sent, on the page from which it was: where it has arrived, to stop it, and to go on.
import { useMutation } from "@tanstack/react-query";
import { Button } from "../../ui/button.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { Arrival } from "./arrival.tsx";
import { stopWithUndo } from "./show-dialog.tsx";
import type { Show } from "./shows.ts";

interface SentProps {
  show: Show;
  title: string;
  /** The labels of the buttons that stop it, and that leave it. */
  stop: string;
  doneLabel: string;
  onDone: () => void;
}

export function SentShow({ show, title, stop, doneLabel, onDone }: SentProps) {
  const stopping = useMutation({ mutationFn: () => stopWithUndo(show), onSuccess: onDone });
  return (
    <>
      <h2>{title}</h2>
      <Arrival showId={show.id} />
      <ProblemMessage error={stopping.error} />
      <div className="form-end cluster end gap-3">
        <Button isPending={stopping.isPending} onPress={() => stopping.mutate()}>
          {stop}
        </Button>
        <Button kind="primary" autoFocus onPress={onDone}>
          {doneLabel}
        </Button>
      </div>
    </>
  );
}
