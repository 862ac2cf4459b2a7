// The details of a file: preview, name, tags, facts, where it is used, and its actions.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { assetQuery, contentUrl, type Asset } from "../../data/assets.ts";
import { deleteAssets, restoreAssets } from "../../data/library-actions.ts";
import { useMay } from "../../data/session.ts";
import { requestShow } from "../../data/show-request.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { AssetFacts } from "./asset-fact-list.tsx";
import { AssetForm } from "./asset-form.tsx";
import { AssetPreview } from "./asset-preview.tsx";
import { AssetUsesList } from "./asset-uses.tsx";
import { ReplaceDialog } from "./replace-dialog.tsx";
import { EraseDialog, sayDeleted } from "./selection-bar.tsx";

const text = texts("library");
const commonText = texts("common");

export function AssetDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const [dialog, setDialog] = useState<"replace" | "erase" | null>(null);
  const [isErased, setIsErased] = useState(false);
  // A file that is deleted for good is not read again.
  const { data: asset, error } = useQuery({ ...assetQuery(id), enabled: dialog !== "erase" && !isErased });
  const acting = useMutation({ mutationFn: (act: () => Promise<void>) => act() });
  if (asset === undefined) {
    return (
      <Dialog title={text("title")} isOpen onClose={onClose}>
        {error === null ? <p role="status">{commonText("loading")}</p> : <ProblemMessage error={error} />}
      </Dialog>
    );
  }
  if (dialog === "replace") return <ReplaceDialog asset={asset} onClose={() => setDialog(null)} onReplaced={onClose} />;
  return (
    <>
      <Dialog
        title={text("details", { name: asset.name })}
        isOpen
        onClose={onClose}
        size="large"
        actions={
          <Actions
            asset={asset}
            isPending={acting.isPending}
            onShow={() => {
              onClose();
              requestShow({ asset });
            }}
            onReplace={() => setDialog("replace")}
            onErase={() => setDialog("erase")}
            onDelete={() =>
              acting.mutate(async () => {
                const { failures } = await deleteAssets([asset]);
                if (failures[0] !== undefined) throw failures[0].error;
                onClose();
                sayDeleted([asset]);
              })
            }
            onRestore={() =>
              acting.mutate(async () => {
                const { failures } = await restoreAssets([asset]);
                if (failures[0] !== undefined) throw failures[0].error;
                onClose();
                showToast({ message: text("restored", { count: 1, name: asset.name }) });
              })
            }
          />
        }
      >
        <div className="asset-details grid top gap-5">
          <AssetPreview asset={asset} />
          <div className="stack gap-5 shrink">
            <ProblemMessage error={acting.error} />
            {asset.error === null ? null : <p className="pad-3-4 rounded bad bad-ground">{asset.error.detail}</p>}
            <AssetForm asset={asset} />
            <AssetFacts asset={asset} />
            {asset.deleted_at === null ? <AssetUsesList id={asset.id} /> : null}
          </div>
        </div>
      </Dialog>
      <EraseDialog
        assets={[asset]}
        isOpen={dialog === "erase"}
        onClose={() => setDialog(null)}
        onErased={() => {
          setIsErased(true);
          onClose();
        }}
      />
    </>
  );
}

interface ActionsProps {
  asset: Asset;
  isPending: boolean;
  onShow: () => void;
  onReplace: () => void;
  onDelete: () => void;
  onRestore: () => void;
  onErase: () => void;
}

function Actions({ asset, isPending, onShow, onReplace, onDelete, onRestore, onErase }: ActionsProps) {
  const mayWrite = useMay("assets:write");
  const mayShow = useMay("schedules:write");
  const url = contentUrl(asset);
  const download =
    url === null ? null : (
      <a className="button" href={url} download={asset.name}>
        <Icon name="download" />
        {text("download")}
      </a>
    );
  if (!mayWrite) {
    return (
      <>
        <p className="faint">{text("needsWrite")}</p>
        {download}
      </>
    );
  }
  if (asset.deleted_at !== null) {
    return (
      <>
        <Button kind="danger" onPress={onErase}>
          {text("erase")}
        </Button>
        <Button kind="primary" isPending={isPending} onPress={onRestore}>
          {text("restore")}
        </Button>
      </>
    );
  }
  return (
    <>
      <Button isPending={isPending} onPress={onDelete}>
        <Icon name="trash" />
        {text("deleteSelected")}
      </Button>
      {download}
      {asset.kind === null ? null : (
        <Button onPress={onReplace}>
          <Icon name="swap" />
          {text("replace")}
        </Button>
      )}
      {mayShow && asset.kind !== null ? (
        <Button kind="primary" onPress={onShow}>
          <Icon name="play" />
          {text("show")}
        </Button>
      ) : null}
    </>
  );
}
