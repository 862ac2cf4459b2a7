// Returns a proposal to the person who made it, with a word about the changes that it needs.
import { useState } from "react";
import type { VersionedDraft } from "../../../data/draft.ts";
import { useAct } from "../../../data/use-act.ts";
import { texts } from "../../../i18n/texts.ts";
import { FormDialog } from "../../../ui/form-dialog.tsx";
import { formOf } from "../../../ui/form.ts";
import { TextField } from "../../../ui/text-field.tsx";
import { returnDraft } from "../drafts.ts";

const text = texts("drafts");

export function ReturnDialog({ current, onClose }: { current: VersionedDraft; onClose: () => void }) {
  const { draft } = current;
  const author = draft.created_by?.name ?? text("unknownPerson");
  const [word, setWord] = useState("");
  const returning = useAct({
    run: () => returnDraft(current, word),
    changes: ["drafts", "draft-contents"],
    toast: () => ({ message: text("returnedToast", { name: author }) }),
    after: onClose,
    showsErrors: true,
  });
  return (
    <FormDialog
      title={text("returnTitle", { name: draft.name })}
      intro={text("returnText", { name: author })}
      action={text("return")}
      form={formOf(returning, ["word"], returning.mutate)}
      onClose={onClose}
      size="small"
    >
      <TextField label={text("returnWord")} value={word} onChange={setWord} isMultiline isRequired autoFocus maxLength={2_000} />
    </FormDialog>
  );
}
