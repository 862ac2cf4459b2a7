// Says on every page that the person works in a draft, and ends that when the draft has ended.
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { draftQuery, isGone, leaveDraft, useNeedsApproval } from "../../../data/draft.ts";
import { setActiveDraft, type ActiveDraft } from "../../../data/drafts/place.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { showToast, tellFailure } from "../../../ui/toasts.tsx";
import { useProposing } from "../acts/use-proposing.ts";
import "./bar.css";

const text = texts("drafts");

export function DraftBar({ active: { id, name: fallbackName } }: { active: ActiveDraft }) {
  const { data, error } = useQuery(draftQuery(id));
  const draft = data?.draft;
  const name = draft?.name ?? fallbackName;
  const state = draft?.state;
  const needsApproval = useNeedsApproval();
  const collects = needsApproval && draft !== undefined && (state === "open" || state === "returned");
  const proposing = useProposing(id);
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const isOnOwnPage = pathname.endsWith(id);
  const hasEnded = isGone(error) || state === "published";
  useEffect(() => {
    if (!hasEnded) return;
    // Its own page says it.
    if (!isOnOwnPage) showToast({ message: text(state === "published" ? "endedPublished" : "endedGone", { name }) });
    tellFailure(leaveDraft());
  }, [hasEnded, state, name, isOnOwnPage]);
  useEffect(() => {
    // It was renamed, perhaps by somebody else.
    if (draft !== undefined && draft.name !== fallbackName && !hasEnded) setActiveDraft({ id, name: draft.name });
  }, [draft, fallbackName, id, hasEnded]);
  const leave = async (): Promise<void> => {
    // A resource that the draft has created has no page outside of it.
    const isOnlyHere = draft?.changes.some((change) => change.action === "created" && pathname.endsWith(change.id));
    if (isOnlyHere === true) await navigate({ to: "/drafts/$id", params: { id } });
    await leaveDraft();
  };
  return (
    <aside className="draft-bar row gap-2 tint accent" aria-label={text("bar")} data-state={state}>
      <Icon name="draft" />
      <p className="wrap grow shrink baseline gap-0-3" role="status">
        <span className="truncate bold max-full">
          {text("barIn")} <bdi>{name}</bdi>
        </span>
        {draft === undefined ? null : <span className="draft-bar-count small soft">{text("changes", { count: draft.change_count })}</span>}
        {state === "proposed" ? <span className="small soft">{text("barProposed")}</span> : null}
        {collects ? <span className="draft-bar-hint small soft">{text("barCollects")}</span> : null}
      </p>
      {isOnOwnPage ? null : (
        <Link to="/drafts/$id" params={{ id }} className="button" data-kind="plain" data-size="small">
          {text("review")}
        </Link>
      )}
      {collects && draft.change_count > 0 && !isOnOwnPage ? (
        <Button kind="primary" size="small" isPending={proposing.isPending} onPress={() => proposing.mutate()}>
          {text("propose")}
        </Button>
      ) : null}
      <Button kind="quiet" size="small" aria-label={text("leave")} onPress={() => tellFailure(leave())}>
        {text("leaveShort")}
      </Button>
    </aside>
  );
}
