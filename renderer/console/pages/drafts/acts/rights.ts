// The rights of a person in a draft, as far as the page can know. The service decides.
import { useNeedsApproval, type Draft } from "../../../data/draft.ts";
import { useSession } from "../../../data/session.ts";

export interface DraftRights {
  /** Change its content, rename it, delete it. */
  mayChange: boolean;
  mayPublish: boolean;
  /** Ask for an approval. */
  mayPropose: boolean;
  mayWithdraw: boolean;
  /** Approve or return it. */
  mayDecide: boolean;
}

export function useDraftRights({
  state,
  created_by: by,
  change_count: count,
}: Pick<Draft, "state" | "created_by" | "change_count">): DraftRights {
  const { user, role, scopes, team } = useSession();
  const needsApproval = useNeedsApproval();
  const isOwn = by?.user_id === user.id;
  const mayWrite = scopes.includes("drafts:write") && (role !== "contributor" || isOwn);
  const mayPublish = scopes.includes("versions:write") && !needsApproval;
  const isChangeable = state === "open" || state === "returned";
  return {
    mayChange: mayWrite && isChangeable,
    mayPublish: mayPublish && isChangeable && count > 0 && (role !== "contributor" || isOwn),
    mayPropose: mayWrite && isChangeable && count > 0 && team.approval === "required",
    mayWithdraw: mayWrite && state === "proposed" && isOwn,
    mayDecide: mayPublish && role !== "contributor" && state === "proposed" && !isOwn,
  };
}
