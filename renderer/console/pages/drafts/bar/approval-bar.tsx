// Says to a person whose changes need an approval that a draft will collect them, and leads to the one they have in work.
import { useLocation } from "@tanstack/react-router";
import { enterDraft, useOwnDrafts } from "../../../data/draft.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { tellFailure } from "../../../ui/toasts.tsx";
import "./bar.css";

const text = texts("drafts");
/** Where content is changed. */
const pages = /^\/(?:(?:playlists|layouts|schedules)(?:\/.*)?|import|timeline)$/;

export function ApprovalBar() {
  const { pathname } = useLocation();
  const isShown = pages.test(pathname);
  const newest = useOwnDrafts(isShown)?.[0];
  if (!isShown) return null;
  return (
    <aside className="draft-bar row gap-2 tint accent" data-state="none" aria-label={text("approvalBar")}>
      <Icon name="draft" />
      <p className="wrap grow shrink baseline gap-0-3">{text("approvalBarText")}</p>
      {newest === undefined ? null : (
        <Button size="small" onPress={() => tellFailure(enterDraft(newest))}>
          <span className="truncate">{text("goOn", { name: newest.name })}</span>
        </Button>
      )}
    </aside>
  );
}
