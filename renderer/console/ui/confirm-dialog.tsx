// Asks before something is destroyed that cannot be brought back, and names it.
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { texts } from "../i18n/texts.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ProblemMessage } from "./problem-message.tsx";

const text = texts("common");

interface ConfirmDialogProps {
  title: string;
  /** Names the things that will be destroyed. */
  children: ReactNode;
  /** The verb on the button, such as `Delete 3 screens`. */
  action: string;
  isOpen: boolean;
  onClose: () => void;
  run: () => Promise<unknown>;
}

export function ConfirmDialog({ title, children, action, isOpen, onClose, run }: ConfirmDialogProps) {
  const acting = useMutation({ mutationFn: run, onSuccess: onClose });
  const actions = (
    <>
      <Button onPress={onClose}>{text("cancel")}</Button>
      <Button kind="danger" isPending={acting.isPending} onPress={() => acting.mutate()}>
        {action}
      </Button>
    </>
  );
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose} size="small" role="alertdialog" actions={actions}>
      {children}
      <ProblemMessage error={acting.error} />
    </Dialog>
  );
}
