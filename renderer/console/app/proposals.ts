// Says that a change was not published but sent for approval, wherever in the console it was made.
import { contentKeys } from "../data/drafts/place.ts";
import { listenToProposals } from "../data/drafts/send.ts";
import { refreshSoon } from "../data/keep-fresh.ts";
import { common } from "../i18n/en/common.ts";
import { texts } from "../i18n/texts.ts";
import { showCorrection } from "../ui/toasts.tsx";

const text = texts(common);

/** Starts saying it, until the returned function is called. */
export function tellProposals(): () => void {
  listenToProposals((id) => {
    showCorrection({ message: text("sentForApproval"), link: { name: text("seeProposal"), to: `/drafts/${id}` } });
    // The page shows the change as if it were published.
    refreshSoon([...contentKeys, "drafts"]);
  });
  return () => listenToProposals(() => undefined);
}
