// For editors: does something in a draft in place of publishing it at once. The draft is one that is in work, or a new one.
import { useState } from "react";
import { createDraft, useDraft, useNeedsApproval, useOwnDrafts } from "../../data/draft.ts";
import type { ActiveDraft } from "../../data/drafts/place.ts";
import { useMay } from "../../data/session.ts";
import { useAct } from "../../data/use-act.ts";
import { texts } from "../../i18n/texts.ts";
import { Button, type ButtonProps } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { formOf } from "../../ui/form.ts";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";

const text = texts("drafts");
const newOne = "new";

interface SaveToDraftProps {
  /** The subject of the draft: the name of a new one is made of it. */
  name: string;
  /** True if the edits are saved there; otherwise it is about changes from then on. */
  isSaving: boolean;
  isDisabled?: boolean;
  /** Saves there, and goes there. */
  run: (draft: ActiveDraft) => Promise<unknown>;
  kind?: NonNullable<ButtonProps["kind"]>;
  size?: NonNullable<ButtonProps["size"]>;
}

/** True if there is a draft to go to: the person may make one, is in none, and does not have each change in one anyhow. */
export function useMaySaveToDraft(): boolean {
  const active = useDraft();
  const needsApproval = useNeedsApproval();
  return useMay("drafts:write") && active === null && !needsApproval;
}

/** Nothing if the person is in a draft already, may not make one, or has each change in one anyhow. */
export function SaveToDraft({ isSaving, isDisabled = false, kind = "plain", size = "medium", ...props }: SaveToDraftProps) {
  const maySave = useMaySaveToDraft();
  const [isOpen, setIsOpen] = useState(false);
  if (!maySave) return null;
  return (
    <>
      <Button kind={kind} size={size} isDisabled={isDisabled} onPress={() => setIsOpen(true)}>
        {titleOf(isSaving)}
      </Button>
      {isOpen ? <SaveToDraftDialog {...props} isSaving={isSaving} onClose={() => setIsOpen(false)} /> : null}
    </>
  );
}

/** The title on buttons and in menus. */
export function titleOf(isSaving: boolean): string {
  return text(isSaving ? "saveToDraft" : "changeInDraft");
}

interface DialogProps extends Pick<SaveToDraftProps, "name" | "run" | "isSaving"> {
  onClose: () => void;
}

export function SaveToDraftDialog({ name: about, run, isSaving, onClose }: DialogProps) {
  const title = titleOf(isSaving);
  const drafts = useOwnDrafts(true);
  const [choice, setChoice] = useState<string | null>(null);
  const [name, setName] = useState(about.slice(0, 200));
  // After a failure, the draft that was made is used again.
  const [newDraft, setNewDraft] = useState<ActiveDraft | null>(null);
  const key = choice ?? drafts?.[0]?.id ?? newOne;
  const saving = useAct({
    run: async () => {
      const draft = drafts?.find(({ id }) => id === key) ?? newDraft ?? (await createDraft(name.trim()));
      if (key === newOne) setNewDraft(draft);
      await run(draft);
      return draft;
    },
    changes: ["drafts", "draft-contents"],
    toast: (draft) => ({ message: text(isSaving ? "savedToDraft" : "entered", { name: draft.name }) }),
    after: onClose,
    showsErrors: true,
  });
  if (drafts === undefined) return null;
  return (
    <FormDialog
      title={title}
      intro={text(isSaving ? "saveToDraftText" : "changeInDraftText")}
      action={title}
      form={formOf(saving, ["name"], saving.mutate)}
      onClose={onClose}
      size="small"
    >
      {drafts.length === 0 ? null : (
        <Select
          label={text("which_draft")}
          selectedKey={key}
          onSelectionChange={setChoice}
          options={[...drafts.map((each) => ({ id: each.id, name: each.name })), { id: newOne, name: text("newDraft") }]}
        />
      )}
      {key === newOne ? (
        <TextField label={text("newName")} value={name} onChange={setName} isRequired maxLength={200} autoFocus={drafts.length === 0} />
      ) : null}
    </FormDialog>
  );
}
