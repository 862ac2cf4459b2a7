// The actions on the selected files.
import { useState } from "react";
import type { Asset } from "../../data/assets.ts";
import { deleteAssets, eraseAssets, restoreAssets, tagAssets, type ActionResult } from "../../data/library-actions.ts";
import { useMay } from "../../data/session.ts";
import { formatBytes } from "../../i18n/format.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Icon } from "../../ui/icon.tsx";
import { reasonOf } from "../../ui/problem-message.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toasts.tsx";

const text = texts("library");
const commonText = texts("common");

interface SelectionBarProps {
  assets: readonly Asset[];
  isBin: boolean;
  onClear: () => void;
}

export function SelectionBar({ assets, isBin, onClear }: SelectionBarProps) {
  const mayWrite = useMay("assets:write");
  const [dialog, setDialog] = useState<"tag" | "erase" | null>(null);
  const [failures, setFailures] = useState<ActionResult["failures"]>([]);
  const [isRunning, setIsRunning] = useState(false);
  const act = async (run: () => Promise<ActionResult>, onSuccess: (result: ActionResult) => void): Promise<void> => {
    setIsRunning(true);
    const result = await run();
    setIsRunning(false);
    setFailures(result.failures);
    if (result.successes.length > 0) onSuccess(result);
    if (result.failures.length === 0) onClear();
  };
  const count = assets.length;
  return (
    <>
      <section className="selection-bar cluster gap-2 outlined rounded-l max-full raised shadow" aria-label={text("selected", { count })}>
        <p role="status">{text("selected", { count })}</p>
        {mayWrite && isBin ? (
          <>
            <Button
              isPending={isRunning}
              onPress={() =>
                void act(
                  () => restoreAssets(assets),
                  ({ successes: assets }) => showToast({ message: text("restored", nameValues(assets)) }),
                )
              }
            >
              <Icon name="restore" />
              {text("restore")}
            </Button>
            <Button kind="danger" onPress={() => setDialog("erase")}>
              {text("erase")}
            </Button>
          </>
        ) : null}
        {mayWrite && !isBin ? (
          <>
            <Button onPress={() => setDialog("tag")}>{text("addTag")}</Button>
            <Button
              isPending={isRunning}
              onPress={() =>
                void act(
                  () => deleteAssets(assets),
                  ({ successes: assets }) => sayDeleted(assets),
                )
              }
            >
              <Icon name="trash" />
              {text("deleteSelected")}
            </Button>
          </>
        ) : null}
        <Button kind="quiet" aria-label={text("clearSelection")} onPress={onClear}>
          <Icon name="close" />
        </Button>
      </section>
      <FailedDialog failures={failures} onClose={() => setFailures([])} />
      {dialog === "tag" ? (
        <TagDialog
          onClose={() => setDialog(null)}
          onTag={(tag) => {
            setDialog(null);
            void act(
              () => tagAssets(assets, tag),
              ({ successes: assets }) => showToast({ message: text("tagged", { count: assets.length, tag }) }),
            );
          }}
        />
      ) : null}
      <EraseDialog assets={assets} isOpen={dialog === "erase"} onClose={() => setDialog(null)} onErased={onClear} />
    </>
  );
}

/** Says that files are in the bin, with the way back. */
export function sayDeleted(assets: readonly Asset[]): void {
  const undo = async (): Promise<void> => {
    const { failures } = await restoreAssets(assets);
    if (failures[0] !== undefined) throw failures[0].error;
  };
  showToast({ message: text("deleted", nameValues(assets)), undo });
}

/** Asks before files are deleted for good, naming the loss. */
export function EraseDialog({
  assets,
  isOpen,
  onClose,
  onErased,
}: {
  assets: readonly Asset[];
  isOpen: boolean;
  onClose: () => void;
  onErased: () => void;
}) {
  const count = assets.length;
  const bytes = assets.reduce((total, { size_bytes }) => total + (size_bytes ?? 0), 0);
  return (
    <ConfirmDialog
      title={text("eraseTitle", nameValues(assets))}
      action={text("erase")}
      isOpen={isOpen}
      onClose={onClose}
      run={async () => {
        const { successes: erasedAssets, failures } = await eraseAssets(assets);
        if (failures[0] !== undefined) throw failures[0].error;
        showToast({ message: text("erased", nameValues(erasedAssets)) });
        onErased();
      }}
    >
      <p>{text("eraseText", { count, size: formatBytes(bytes) })}</p>
    </ConfirmDialog>
  );
}

function nameValues(assets: readonly Asset[]): { count: number; name: string } {
  return { count: assets.length, name: assets[0]?.name ?? "" };
}

/** Which files were not changed, and why. */
function FailedDialog({ failures, onClose }: { failures: ActionResult["failures"]; onClose: () => void }) {
  return (
    <Dialog
      title={text("notDeletedTitle", { count: failures.length })}
      isOpen={failures.length > 0}
      onClose={onClose}
      actions={<Button onPress={onClose}>{commonText("close")}</Button>}
    >
      <ul className="reasons stack gap-2">
        {failures.map(({ asset, error }) => (
          <li className="break-words" key={asset.id}>
            {text("notDeleted", { name: asset.name, reason: reasonOf(error) })}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function TagDialog({ onClose, onTag }: { onClose: () => void; onTag: (tag: string) => void }) {
  const [tag, setTag] = useState("");
  const isGiven = tag.trim() !== "";
  return (
    <Dialog
      title={text("addTag")}
      isOpen
      onClose={onClose}
      size="small"
      actions={
        <>
          <Button onPress={onClose}>{commonText("cancel")}</Button>
          <Button kind="primary" type="submit" form="tag-form" isDisabled={!isGiven}>
            {text("addTag")}
          </Button>
        </>
      }
    >
      <form
        id="tag-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (isGiven) onTag(tag.trim());
        }}
      >
        <TextField label={text("tagName")} value={tag} onChange={setTag} maxLength={200} autoFocus />
      </form>
    </Dialog>
  );
}
