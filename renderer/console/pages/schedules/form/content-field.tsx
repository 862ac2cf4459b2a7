// The content of a schedule: a layout, or files, of which it makes one.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { usePageDrop } from "../../../data/drops.ts";
import { useMay } from "../../../data/session.ts";
import type { UploadedAsset } from "../../../data/uploads.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { ComboBox } from "../../../ui/combo-box.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { showFailure, showToast } from "../../../ui/toasts.tsx";
import { AssetPicker } from "../../library/asset-picker.tsx";
import { UploadButton } from "../../library/upload-button.tsx";
import { useIsOfShow } from "../../show/shows.ts";
import { layoutsQuery } from "../data.ts";
import { makeLayoutOf } from "../layout-of-files.ts";
import type { Values } from "../model/form.ts";
import type { FieldsProps } from "./fields.ts";

const text = texts("schedules");
const longestName = 200;

interface ContentFieldProps extends Omit<FieldsProps, "onChange"> {
  mayWrite: boolean;
  onChange: (change: Partial<Values>) => void;
}

export function ContentField({ values, errors, mayWrite, onChange }: ContentFieldProps) {
  const queries = useQueryClient();
  const { data: layouts } = useQuery(layoutsQuery);
  const isOfShow = useIsOfShow();
  const [isPicking, setIsPicking] = useState(false);
  const mayMake = [useMay("playlists:write"), useMay("layouts:write"), mayWrite].every(Boolean);
  const making = useMutation({
    mutationFn: (assets: readonly UploadedAsset[]) => makeLayoutOf(assets, nameFor(values.name, assets)),
    onSuccess: async (layout) => {
      if (layout === null) return;
      await queries.invalidateQueries({ queryKey: layoutsQuery.queryKey });
      onChange({ layoutId: layout.id, ...(values.name.trim() === "" ? { name: layout.name } : {}) });
      const undo = async (): Promise<void> => {
        onChange({ layoutId: null });
        await layout.takeBack();
      };
      showToast({ message: text("madeLayout", { name: layout.name, count: layout.count }), undo });
    },
    onError: showFailure,
  });
  const take = (assets: readonly UploadedAsset[]): void => {
    setIsPicking(false);
    if (assets.length > 0) making.mutate(assets);
  };
  usePageDrop(mayMake && !isPicking ? { text: text("dropHere"), take } : null);
  const choices = layouts?.filter(({ id }) => !isOfShow(id) || id === values.layoutId).map(({ id, name }) => ({ id, name }));
  if (choices === undefined) return null;
  return (
    <div className="stack gap-2">
      {choices.length === 0 ? (
        <p className="faint">{text("noLayouts")}</p>
      ) : (
        <ComboBox
          // Its choices are those at its beginning.
          key={choices.length}
          label={text("layout")}
          choices={choices}
          value={values.layoutId}
          onChange={(layoutId) => onChange({ layoutId })}
          error={errors["layout_id"]}
        />
      )}
      {mayMake ? (
        <div className="cluster gap-2" role="group" aria-label={text("orFiles")}>
          <span className="faint">{text("orFiles")}</span>
          <UploadButton onUploaded={take} />
          <Button isPending={making.isPending} onPress={() => setIsPicking(true)}>
            <Icon name="library" />
            {text("fromLibrary")}
          </Button>
        </div>
      ) : null}
      <Dialog title={text("fromLibrary")} isOpen={isPicking} onClose={() => setIsPicking(false)} size="large">
        <AssetPicker onPick={(asset) => take([asset])} />
      </Dialog>
    </div>
  );
}

/** The schedule's name, or that of the first file without its ending. */
function nameFor(name: string, [first]: readonly UploadedAsset[]): string {
  return (name.trim() === "" ? (first?.name ?? "").replace(/\.[a-z0-9]{2,5}$/i, "") : name.trim()).slice(0, longestName);
}
