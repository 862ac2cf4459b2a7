// Replaces a file everywhere: choose the other, see the effect, then do it. It can be undone.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Asset } from "../../data/assets.ts";
import { client } from "../../data/client.ts";
import { queryClient } from "../../data/query-client.ts";
import { texts } from "../../i18n/texts.ts";
import type { Schemas } from "../../../../sdk/typescript/client.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { AssetThumbnail } from "./asset-facts.tsx";
import { AssetPicker } from "./asset-picker.tsx";
import { DirectUses, placesIn } from "./asset-uses.tsx";

const text = texts("library");

export function ReplaceDialog({ asset, onClose, onReplaced }: { asset: Asset; onClose: () => void; onReplaced: () => void }) {
  const [next, setNext] = useState<Asset | null>(null);
  const preview = useQuery({
    queryKey: ["assets", "replacement", asset.id, next?.id],
    queryFn: () => replace(asset, next!, { isDryRun: true }),
    enabled: next !== null,
    staleTime: 0,
    gcTime: 0,
  });
  const replacing = useMutation({
    mutationFn: () => replace(asset, next!),
    onSuccess: (replacement) => {
      onReplaced();
      const values = { old: asset.name, next: next!.name, count: placesIn(replacement) };
      showToast({ message: text("replaced", values), undo: () => takeBack(asset, next!, replacement) });
    },
  });
  const isNothing = preview.data !== undefined && placesIn(preview.data) === 0;
  const actions =
    next === null ? undefined : (
      <>
        <Button onPress={() => setNext(null)}>{text("replaceOther")}</Button>
        <Button
          kind="primary"
          isDisabled={preview.data === undefined || isNothing}
          isPending={replacing.isPending}
          onPress={() => replacing.mutate()}
        >
          {text("replaceAction")}
        </Button>
      </>
    );
  return (
    <Dialog title={text("replaceTitle", { name: asset.name })} isOpen onClose={onClose} size="large" actions={actions}>
      {next === null ? (
        <>
          <p>{text("replaceText", { name: asset.name })}</p>
          <AssetPicker onPick={setNext} exceptId={asset.id} {...(asset.kind === null ? {} : { kinds: [asset.kind] })} />
        </>
      ) : (
        <>
          <div className="replace-pair grid middle gap-3" aria-hidden="true">
            <AssetThumbnail asset={asset} />
            <Icon name="chevronEnd" />
            <AssetThumbnail asset={next} />
          </div>
          <ProblemMessage error={preview.error ?? replacing.error} />
          {preview.data === undefined ? null : isNothing ? (
            <p>{text("replaceNothing")}</p>
          ) : (
            <>
              <p>{text("replaceConfirm", { old: asset.name, next: next.name })}</p>
              <DirectUses uses={{ ...preview.data, overrides: [] }} />
              <p className="faint">{text("changesScreens", { count: preview.data.player_count })}</p>
            </>
          )}
          {preview.data !== undefined && preview.data.overrides.length > 0 ? (
            <p>{text("replaceOverrides", { names: preview.data.overrides.map(({ name }) => name).join(", ") })}</p>
          ) : null}
        </>
      )}
    </Dialog>
  );
}

type Only = Schemas["AssetReplacement"]["only"];

async function replace(
  { id }: Asset,
  { id: asset_id }: Asset,
  { isDryRun = false, only }: { isDryRun?: boolean; only?: Only } = {},
): Promise<Schemas["ReplacedAsset"]> {
  const { data } = await client.post("/api/v1/assets/{id}/replace", {
    params: { path: { id }, query: isDryRun ? { dry_run: "true" } : {} },
    body: { asset_id, ...(only === undefined ? {} : { only }) },
  });
  if (!isDryRun) await queryClient.invalidateQueries({ queryKey: ["assets"] });
  return data;
}

/** Puts the old file back in exactly the places where it was. */
async function takeBack(old: Asset, next: Asset, replacement: Schemas["ReplacedAsset"]): Promise<void> {
  const only = {
    item_ids: replacement.playlists.flatMap(({ item_ids }) => item_ids),
    layout_ids: replacement.backgrounds.map(({ id }) => id),
    player_ids: replacement.safe_content_of.map(({ id }) => id),
    team: replacement.is_safe_content_of_team,
  };
  await replace(next, old, { only });
  showToast({ message: text("replaceUndone", { old: old.name }) });
}
