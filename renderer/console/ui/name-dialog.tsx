// Asks for a new name.
import { useState } from "react";
import { FormDialog } from "./form-dialog.tsx";
import { formOf } from "./form.ts";
import { TextField } from "./text-field.tsx";

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
  const [value, setValue] = useState(name);
  const close = (): void => {
    act.reset();
    onClose();
  };
  const form = formOf(act, ["name"], () => {
    if (value.trim() !== "") act.mutate(value.trim());
  });
  return (
    <FormDialog title={title} action={action} form={form} onClose={close} size="small">
      <TextField label={label} value={value} onChange={setValue} isRequired autoFocus error={form.errors.name} maxLength={200} />
    </FormDialog>
  );
}
