// Sends a draft for approval. Nobody works in it after that: its page shows the changes.
import { useNavigate } from "@tanstack/react-router";
import { endDraft, useDraft } from "../../../data/draft.ts";
import { useAct } from "../../../data/use-act.ts";
import { texts } from "../../../i18n/texts.ts";
import { proposeDraft } from "../drafts.ts";

const text = texts("drafts");

export function useProposing(id: string) {
  const isWithin = useDraft()?.id === id;
  const navigate = useNavigate();
  return useAct({
    run: async () => {
      if (!isWithin) return proposeDraft(id);
      await endDraft(async () => {
        await proposeDraft(id);
        await navigate({ to: "/drafts/$id", params: { id } });
      });
    },
    changes: ["drafts", "draft-contents"],
    toast: () => ({ message: text("proposedToast") }),
  });
}
