// A dialog that is one form: its fields, its errors, and the buttons to leave it and to submit it.
import { useId, type ReactNode } from "react";
import { texts } from "../i18n/texts.ts";
import { Button } from "./button.tsx";
import { Dialog, type DialogProps } from "./dialog.tsx";
import type { FormState } from "./form.ts";
import { ProblemMessage } from "./problem-message.tsx";

const text = texts("common");

interface FormDialogProps extends Pick<DialogProps, "title" | "onClose" | "size"> {
  form: FormState<string>;
  /** The verb on the button that submits. */
  action: string;
  /** The text above the fields. */
  intro?: string;
  /** The browser checks no field: a refused value can be sent again unchanged, such as an address that did not respond. */
  noValidate?: boolean;
  /** False while something outside the form's fields must be decided first; the form names it. */
  isSubmittable?: boolean;
  /** Buttons between the one that leaves and the one that submits. */
  otherActions?: ReactNode;
  children: ReactNode;
}

export function FormDialog({
  form: { isPending, problem, onSubmit },
  action,
  intro,
  noValidate = false,
  isSubmittable = true,
  otherActions,
  children,
  ...dialog
}: FormDialogProps) {
  const id = useId();
  const actions = (
    <>
      <Button onPress={dialog.onClose}>{text("cancel")}</Button>
      {otherActions}
      <Button kind="primary" type="submit" form={id} isPending={isPending} isDisabled={!isSubmittable}>
        {action}
      </Button>
    </>
  );
  return (
    <Dialog {...dialog} isOpen actions={actions}>
      {intro === undefined ? null : <p className="faint">{intro}</p>}
      <form id={id} className="form" onSubmit={onSubmit} noValidate={noValidate}>
        {children}
        <ProblemMessage error={problem} />
      </form>
    </Dialog>
  );
}
