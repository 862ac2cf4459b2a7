// What every editor of content has: the way to its versions, and whether the person must work in a draft.
import { Link } from "@tanstack/react-router";
import { enterDraft, useDraft, useNeedsApproval } from "../../data/draft.ts";
import { useMay } from "../../data/session.ts";
import { drafts } from "../../i18n/en/drafts.ts";
import { texts } from "../../i18n/texts.ts";
import { Icon } from "../../ui/icon.tsx";
import { SaveToDraft } from "./save-to-draft.tsx";
import "./editor-links.css";

const text = texts(drafts);

/** Leads to the versions of a playlist, a layout or a schedule. */
export function VersionsLink({ id }: { id: string }) {
  if (!useMay("versions:read")) return null;
  return (
    <Link to="/versions" search={{ of: id }} className="versions-link">
      <Icon name="history" />
      {text("versions")}
    </Link>
  );
}

/** Whether an editor that saves every change at once must be used in a draft: each change would be a proposal of its own. */
export function useMustUseDraft(): boolean {
  const needsApproval = useNeedsApproval();
  return useDraft() === null && needsApproval;
}

/** Says so, and begins a draft. */
export function NeedsDraft({ name }: { name: string }) {
  if (!useMustUseDraft()) return null;
  return (
    <div className="needs-draft">
      <p>{text("needsDraft")}</p>
      <SaveToDraft name={name} isSaving={false} kind="primary" run={enterDraft} />
    </div>
  );
}
