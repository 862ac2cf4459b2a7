// Creates another team, and goes on there.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { switchTeam } from "../data/switch-team.ts";
import { texts } from "../i18n/texts.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { formOf } from "../ui/form.ts";
import { TextField } from "../ui/text-field.tsx";

const text = texts("newTeam");

export function NewTeamDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const creating = useMutation({ mutationFn: () => switchTeam({ name: name.trim() }) });
  const form = formOf(creating, ["name"], () => {
    // Afterwards the console starts anew, and until then nothing is to be submitted again.
    if (name.trim() !== "" && !creating.isSuccess) creating.mutate();
  });
  return (
    <FormDialog title={text("title")} intro={text("text")} action={text("title")} form={form} onClose={onClose} size="small">
      <TextField label={text("name")} value={name} onChange={setName} isRequired autoFocus error={form.errors.name} maxLength={200} />
    </FormDialog>
  );
}
