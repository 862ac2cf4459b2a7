// Says to a person whose changes need an approval that each is sent by itself, and offers a draft for them.
import { useLocation } from "@tanstack/react-router";
import { enterDraft } from "../../../data/draft.ts";
import { drafts } from "../../../i18n/en/drafts.ts";
import { texts } from "../../../i18n/texts.ts";
import { Icon } from "../../../ui/icon.tsx";
import { SaveToDraft } from "../save-to-draft.tsx";
import "./bar.css";

const text = texts(drafts);
/** Where content is changed. The editor of a playlist says it itself. */
const pages = /^\/(?:playlists|(?:layouts|schedules)(?:\/.*)?|import)$/;

export function ApprovalBar() {
  const { pathname } = useLocation();
  if (!pages.test(pathname)) return null;
  return (
    <aside className="draft-bar" data-state="none" aria-label={text("approvalBar")}>
      <Icon name="draft" />
      <p>{text("approvalBarText")}</p>
      <SaveToDraft name="" isSaving={false} size="small" run={enterDraft} />
    </aside>
  );
}
