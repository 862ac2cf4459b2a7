// Collects the changes of a person who needs an approval in a draft, wherever in the console they are made.
import { createDraft, draftQuery, enterDraft } from "../data/draft.ts";
import { handleApproval } from "../data/drafts/send.ts";
import { queryClient } from "../data/query-client.ts";
import { sessionQuery } from "../data/session.ts";
import { withdrawDraft } from "../pages/drafts/drafts.ts";
import { formatDateTime } from "../i18n/format.ts";
import { texts } from "../i18n/texts.ts";
import { showCorrection, showFailure } from "../ui/toasts.tsx";

const text = texts("common");

/** Starts it, until the returned function is called. */
export function collectForApproval(): () => void {
  handleApproval({
    makeDraft: () => createDraft(text("collectedChanges", { time: formatDateTime(new Date()) })),
    onProposal: async (id) => {
      showCorrection({ message: text("nowNeedsApproval"), link: { name: text("seeProposal"), to: `/drafts/${id}` } });
      await goOnIn(id).catch(showFailure);
    },
  });
  return () => handleApproval(null);
}

/** The team asks for approvals since the page was opened: the person goes on in the proposal that their change became. */
async function goOnIn(id: string): Promise<void> {
  void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
  await withdrawDraft(id);
  const { draft } = await queryClient.fetchQuery({ ...draftQuery(id), staleTime: 0 });
  await enterDraft(draft);
}
