// Asks before a draft is published or approved, with its effect on the screens and the reason for it.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { activeDraft } from "../../../data/drafts/place.ts";
import { draftQuery, leaveDraft, type VersionedDraft } from "../../../data/draft.ts";
import { useAct } from "../../../data/use-act.ts";
import { texts } from "../../../i18n/texts.ts";
import { FormDialog } from "../../../ui/form-dialog.tsx";
import { formOf } from "../../../ui/form.ts";
import { TextField } from "../../../ui/text-field.tsx";
import { effectQuery, publishDraft, type Decisions } from "../drafts.ts";
import { EffectSentence } from "../effect.tsx";

const text = texts("drafts");
/** The keys of data that is read anew afterwards, besides the data of events. */
const staleKeys = ["drafts", "draft-contents", "versions"] as const;

interface PublishDialogProps {
  current: VersionedDraft;
  decisions: Decisions;
  onClose: () => void;
}

export function PublishDialog({ current, decisions, onClose }: PublishDialogProps) {
  const { draft, etag } = current;
  const queries = useQueryClient();
  const [note, setNote] = useState(draft.note ?? "");
  const { data: effect } = useQuery(effectQuery(draft.id, etag));
  const open = draft.changes.filter(({ id, is_conflicting: is }) => is && !decisions.has(id)).length;
  const publishing = useAct({
    run: async () => {
      try {
        return await publishDraft(current, note, decisions);
      } catch (error) {
        // Somebody has changed something meanwhile: it is shown as it is now, and compared again.
        void queries.invalidateQueries({ queryKey: draftQuery(draft.id).queryKey });
        throw error;
      }
    },
    changes: staleKeys,
    toast: ({ version }) => ({
      message: version === null ? text("publishedNothing") : text("publishedToast", { number: version.number }),
    }),
    after: () => {
      onClose();
      if (activeDraft()?.id === draft.id) void leaveDraft();
    },
    showsErrors: true,
  });
  const form = formOf(publishing, ["note"], () => {
    if (open === 0) publishing.mutate();
  });
  const isProposal = draft.state === "proposed";
  return (
    <FormDialog
      title={text(isProposal ? "approveTitle" : "publishTitle", { name: draft.name })}
      action={text(isProposal ? "approve" : "publish")}
      form={form}
      isSubmittable={open === 0}
      onClose={onClose}
    >
      {open > 0 ? (
        <p className="strong warn">{text("decideFirst", { count: open })}</p>
      ) : (
        <p>{text("publishText", { count: draft.change_count })}</p>
      )}
      {effect === undefined ? null : <EffectSentence effect={effect} />}
      <TextField label={text("note")} description={text("noteHint")} value={note} onChange={setNote} maxLength={2_000} autoFocus />
    </FormDialog>
  );
}
