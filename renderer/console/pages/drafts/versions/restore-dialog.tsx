// Goes back to a version, after the service has told the changes by a dry run.
import { useQuery } from "@tanstack/react-query";
import { useDraft, useNeedsApproval } from "../../../data/draft.ts";
import { contentKeys } from "../../../data/drafts/place.ts";
import { useMay } from "../../../data/session.ts";
import { useAct } from "../../../data/use-act.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { ProblemMessage } from "../../../ui/problem-message.tsx";
import { kindIcons } from "../changes/change-view.tsx";
import { Effect } from "../effect.tsx";
import { restorationEffectQuery, restoreVersion, type Published, type Restoration } from "../drafts.ts";

const text = texts("common", "changes", "versions");
const mostNamed = 20;

export function RestoreDialog({ restoration, onClose }: { restoration: Restoration; onClose: () => void }) {
  const { number, only } = restoration;
  const draft = useDraft();
  const needsApproval = useNeedsApproval();
  // A draft has its own.
  const showsEffect = [draft === null, useMay("players:read")].every(Boolean);
  const effect = useQuery({ ...restorationEffectQuery(restoration), enabled: showsEffect });
  const version = String(number);
  const { data: outlook, error } = useQuery({
    // The answer depends on the published content: whatever makes that old makes this old.
    queryKey: ["playlists", "restoration", number, only?.id ?? null],
    queryFn: ({ signal }) => restoreVersion(restoration, true, signal),
    staleTime: 0,
    retry: false,
  });
  const restoring = useAct({
    run: () => restoreVersion(restoration, false),
    changes: ["versions", "drafts", "draft-contents", ...contentKeys],
    toast: (publication) => ({
      message: publication.version === null ? text("doneInDraft", { number: version }) : doneText(restoration),
      ...undoOf(publication, restoration),
    }),
    after: onClose,
    showsErrors: true,
  });
  const isNeeded = outlook !== undefined && outlook.changes.length > 0;
  return (
    <Dialog
      title={only === null ? text("goBackTitle", { number: version }) : text("goBackOnlyTitle", { name: only.name, number: version })}
      isOpen
      onClose={onClose}
      size="small"
      actions={
        <>
          <Button onPress={onClose}>{text("cancel")}</Button>
          <Button kind="primary" isDisabled={!isNeeded} isPending={restoring.isPending} onPress={() => restoring.mutate()}>
            {text("goBackDo")}
          </Button>
        </>
      }
    >
      <div role="status" className="stack gap-3">
        {outlook === undefined && error === null ? <p className="faint">{text("looking")}</p> : null}
        {outlook !== undefined && !isNeeded ? <p>{text(only === null ? "nothing" : "nothingOnly")}</p> : null}
        {isNeeded ? <Outlook outlook={outlook} /> : null}
        {outlook === undefined || outlook.skipped.length === 0 ? null : (
          <>
            <p className="strong warn">{text("skipped")}</p>
            <ul className="restore-list stack gap-1">
              {outlook.skipped.map(({ id, name, detail }) => (
                <li className="row gap-2 shrink break-words" key={id}>
                  {text("skippedOne", { name, detail })}
                </li>
              ))}
            </ul>
          </>
        )}
        {isNeeded && showsEffect ? <Effect result={effect} isOpen /> : null}
        {isNeeded ? (
          <p className="faint">
            {draft !== null ? text("inDraft", { name: draft.name }) : text(needsApproval ? "needsApproval" : "atOnce")}
          </p>
        ) : null}
      </div>
      <ProblemMessage error={restoring.error ?? error} />
    </Dialog>
  );
}

function Outlook({ outlook: { changes: all } }: { outlook: Published }) {
  return (
    <>
      <p>{text("willChange", { count: all.length })}</p>
      <ul className="restore-list stack gap-1">
        {all.slice(0, mostNamed).map(({ kind, id, name, action }) => (
          <li className="row gap-2 shrink break-words" key={id}>
            <Icon name={kindIcons[kind]} />
            <span>{text("one", { kind, name, action })}</span>
          </li>
        ))}
      </ul>
      {all.length > mostNamed ? <p className="faint">{text("willChangeMore", { count: all.length - mostNamed })}</p> : null}
    </>
  );
}

function doneText({ number, only }: Restoration): string {
  const version = String(number);
  return only === null ? text("done", { number: version }) : text("doneOnly", { name: only.name, number: version });
}

/** Going back is taken back by going to the version before it. */
function undoOf({ version }: Published, { only }: Restoration): { undo?: () => Promise<unknown> } {
  if (version === null || version.number === 1) return {};
  return { undo: () => restoreVersion({ number: version.number - 1, only }, false) };
}
