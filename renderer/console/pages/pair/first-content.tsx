// Chooses the first content of a new screen: a file that is dropped or picked, a picture of the library, a layout, or nothing.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { DropZone, FileTrigger, ToggleButton } from "react-aria-components";
import { client, fileUrl } from "../../data/client.ts";
import { usePageDrop } from "../../data/drops.ts";
import { layoutNamesQuery } from "../../data/layout-names.ts";
import { useMay } from "../../data/session.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { ComboBox } from "../../ui/combo-box.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Icon } from "../../ui/icon.tsx";
import { reasonOf } from "../../ui/problem-message.tsx";
import { tellFailure } from "../../ui/toasts.tsx";
import { AssetPicker } from "../library/asset-picker.tsx";
import type { Asset } from "./set-up.ts";

const text = texts("pair");
const recentCount = 6;

/** The choice, with the details of it that the form shows. */
export type ContentChoice =
  | null
  | { is: "layout"; id: string }
  | { is: "asset"; asset: Asset }
  | {
      is: "file";
      file: File;
      picture: string | null;
      upload: () => Promise<Asset>;
      state: "uploading" | "uploaded" | "failed";
      error?: unknown;
    };

interface FirstContentProps {
  value: ContentChoice;
  onChange: (chosen: ContentChoice) => void;
  onFile: (file: File) => void;
}

export function FirstContent({ value, onChange, onFile }: FirstContentProps) {
  const [hasTooMany, setHasTooMany] = useState(false);
  const [isPicking, setIsPicking] = useState(false);
  const pick = (asset: Asset | undefined): void => {
    if (asset !== undefined) onChange({ is: "asset", asset });
    setIsPicking(false);
  };
  // Elsewhere on the page than on the zone below.
  usePageDrop({ text: text("dropHere"), take: ([asset]) => pick(asset) });
  const layouts = useQuery(layoutNamesQuery);
  const mayUpload = useMay("assets:write");
  const recent = useQuery({
    queryKey: ["assets", "recent-images"],
    queryFn: async () =>
      (await client.get("/api/v1/assets", { params: { query: { kind: "image", limit: recentCount } } })).data.data.filter(
        ({ thumbnail_url, status }) => thumbnail_url !== null && status !== "failed",
      ),
  });
  const take = (files: readonly File[]): void => {
    setHasTooMany(files.length > 1);
    if (files[0] !== undefined) onFile(files[0]);
  };
  return (
    <section className="stack gap-3" aria-labelledby="first-content">
      <h2 id="first-content">{text("content")}</h2>
      {mayUpload ? (
        <DropZone
          className="drop-zone row gap-3 pad-3-4 sunken"
          aria-label={text("content")}
          onDrop={({ items }) => {
            const files = items.flatMap((item) => (item.kind === "file" ? [item.getFile()] : []));
            tellFailure(Promise.all(files).then(take));
          }}
        >
          {({ isDropTarget }) => (
            <>
              <span className="drop-zone-icon">
                <Icon name="upload" />
              </span>
              <p className="grow shrink soft break-words">
                {isDropTarget ? text("dropHere") : value?.is === "file" ? <FileState choice={value} /> : text("contentHint")}
              </p>
              <FileTrigger onSelect={(files) => take([...(files ?? [])])}>
                <Button>{text(value?.is === "file" ? "otherFile" : "chooseFile")}</Button>
              </FileTrigger>
            </>
          )}
        </DropZone>
      ) : null}
      {hasTooMany ? <p className="field-description">{text("oneFile")}</p> : null}
      {(recent.data?.length ?? 0) === 0 ? null : (
        <div className="field" role="group" aria-labelledby="recent-pictures">
          <span className="label" id="recent-pictures">
            {text("recent")}
          </span>
          <div className="recent-pictures grid gap-2">
            {recent.data?.map((asset) => (
              <ToggleButton
                key={asset.id}
                className="recent-picture crop outlined pointer rounded no-padding glass"
                aria-label={asset.name}
                isSelected={value?.is === "asset" && value.asset.id === asset.id}
                onChange={(isSelected) => onChange(isSelected ? { is: "asset", asset } : null)}
              >
                <img className="full-width block" src={thumbnailOf(asset)} alt="" loading="lazy" />
              </ToggleButton>
            ))}
          </div>
          <div>
            <Button size="small" onPress={() => setIsPicking(true)}>
              {text("browse")}
            </Button>
          </div>
        </div>
      )}
      <Dialog title={text("browse")} isOpen={isPicking} onClose={() => setIsPicking(false)} size="large">
        <AssetPicker onPick={pick} />
      </Dialog>
      {(layouts.data?.length ?? 0) === 0 ? null : (
        <ComboBox
          label={text("layout")}
          placeholder={text("layoutPlaceholder")}
          choices={layouts.data ?? []}
          value={value?.is === "layout" ? value.id : null}
          onChange={(id) => {
            if (id !== null) onChange({ is: "layout", id });
            else if (value?.is === "layout") onChange(null);
          }}
        />
      )}
      {value === null ? null : (
        <div>
          <Button kind="quiet" size="small" onPress={() => onChange(null)}>
            <Icon name="close" />
            {text("noContent")}
          </Button>
        </div>
      )}
    </section>
  );
}

/** The address of the small picture of an asset. */
export function thumbnailOf({ id }: Pick<Asset, "id">): string {
  return fileUrl(`/api/v1/assets/${id}/thumbnail`);
}

function FileState({ choice: { file, state, error } }: { choice: Extract<ContentChoice, { is: "file" }> }) {
  const { name } = file;
  if (state === "failed") {
    return (
      <span className="field-error" role="alert">
        {reasonOf(error)}
      </span>
    );
  }
  return <span role="status">{state === "uploaded" ? text("uploaded", { name }) : text("uploading", { name })}</span>;
}
