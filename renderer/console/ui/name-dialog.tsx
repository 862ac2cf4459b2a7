// Asks for a new name.
import { useId, useState, type FormEvent } from "react";
import { common } from "../i18n/en/common.ts";
import { texts } from "../i18n/texts.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { fieldErrorsOf, ProblemMessage } from "./problem-message.tsx";
import { TextField } from "./text-field.tsx";

const text = texts(common);

interface NameDialogProps {
  title: string;
  label: string;
  /** The name now. */
  name: string;
  /** The verb on the button. */
  action: string;
  isOpen: boolean;
  onClose: () => void;
  act: { mutate: (name: string) => void; isPending: boolean; error: unknown; reset: () => void };
}

export function NameDialog({ isOpen, ...props }: NameDialogProps) {
  return isOpen ? <OpenDialog {...props} /> : null;
}

function OpenDialog({ title, label, name, action, onClose, act }: Omit<NameDialogProps, "isOpen">) {
  const form = useId();
  const [value, setValue] = useState(name);
  const close = (): void => {
    act.reset();
    onClose();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (value.trim() !== "") act.mutate(value.trim());
  };
  const actions = (
    <>
      <Button onPress={close}>{text("cancel")}</Button>
      <Button kind="primary" type="submit" form={form} isPending={act.isPending}>
        {action}
      </Button>
    </>
  );
  const error = fieldErrorsOf(act.error)["name"];
  return (
    <Dialog title={title} isOpen onClose={close} size="small" actions={actions}>
      <form id={form} className="form" onSubmit={submit}>
        <TextField label={label} value={value} onChange={setValue} isRequired autoFocus error={error} maxLength={200} />
        {error === undefined ? <ProblemMessage error={act.error} /> : null}
      </form>
    </Dialog>
  );
}
