// The actions on a draft: work in it, publish it, send it for approval, decide about it, rename it, delete it.
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { enterDraft, leaveDraft, useDraft, type VersionedDraft } from "../../../data/draft.ts";
import { useAct } from "../../../data/use-act.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { MenuButton, type MenuAction } from "../../../ui/menu-button.tsx";
import { NameDialog } from "../../../ui/name-dialog.tsx";
import { tellFailure } from "../../../ui/toasts.tsx";
import { deleteDraft, renameDraft, withdrawDraft, type Decisions } from "../drafts.ts";
import { PublishDialog } from "./publish-dialog.tsx";
import { ReturnDialog } from "./return-dialog.tsx";
import { useProposing } from "./use-proposing.ts";
import { useDraftRights } from "./rights.ts";

const text = texts("drafts");

type Open = "publish" | "return" | "rename" | "delete";

export function DraftActions({ current, decisions }: { current: VersionedDraft; decisions: Decisions }) {
  const { draft } = current;
  const { id, name, change_count: count } = draft;
  const rights = useDraftRights(draft);
  const isWithin = useDraft()?.id === id;
  const navigate = useNavigate();
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => setOpen(null);
  const proposing = useProposing(id);
  const withdrawing = useAct({
    run: () => withdrawDraft(id),
    changes: ["drafts", "draft-contents"],
    toast: () => ({ message: text("withdrawn") }),
  });
  const renaming = useAct({
    run: (next: string) => renameDraft(id, next),
    changes: ["drafts", "draft-contents"],
    after: close,
    showsErrors: true,
  });
  const remove = async (): Promise<void> => {
    await deleteDraft(id);
    if (isWithin) await leaveDraft();
    void navigate({ to: "/drafts" });
  };
  const more: MenuAction[] = rights.mayChange
    ? [
        ...(isWithin ? [{ name: text("leave"), run: () => tellFailure(leaveDraft()) }] : []),
        ...(rights.mayPropose && rights.mayPublish ? [{ name: text("propose"), run: () => proposing.mutate() }] : []),
        { name: text("rename"), run: () => setOpen("rename") },
        { name: text("delete"), kind: "danger", run: () => setOpen("delete") },
      ]
    : [];
  return (
    <>
      {rights.mayChange && !isWithin ? <Button onPress={() => tellFailure(enterDraft(draft))}>{text("work")}</Button> : null}
      {rights.mayWithdraw ? (
        <Button isPending={withdrawing.isPending} onPress={() => withdrawing.mutate()}>
          {text("withdraw")}
        </Button>
      ) : null}
      {rights.mayDecide ? <Button onPress={() => setOpen("return")}>{text("return")}</Button> : null}
      {rights.mayPropose && !rights.mayPublish ? (
        <Button kind="primary" isPending={proposing.isPending} onPress={() => proposing.mutate()}>
          {text("propose")}
        </Button>
      ) : null}
      {rights.mayPublish || rights.mayDecide ? (
        <Button kind="primary" onPress={() => setOpen("publish")}>
          {text(rights.mayDecide ? "approve" : "publish")}
        </Button>
      ) : null}
      <MenuButton label={text("more", { name })} actions={more} />
      {open === "publish" ? <PublishDialog current={current} decisions={decisions} onClose={close} /> : null}
      {open === "return" ? <ReturnDialog current={current} onClose={close} /> : null}
      <NameDialog
        title={text("rename")}
        label={text("name")}
        name={name}
        action={text("renameDo")}
        isOpen={open === "rename"}
        onClose={close}
        act={renaming}
      />
      <ConfirmDialog
        title={text("deleteTitle", { name })}
        action={text("deleteDo")}
        isOpen={open === "delete"}
        onClose={close}
        run={remove}
      >
        <p>{text("deleteText", { count })}</p>
      </ConfirmDialog>
    </>
  );
}
