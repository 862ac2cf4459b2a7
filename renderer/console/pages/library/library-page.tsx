// The library: all files that screens can show, and the bin.
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Selection } from "react-aria-components";
import { useMay } from "../../data/session.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { AssetDialog } from "./asset-dialog.tsx";
import { AssetGrid } from "./asset-grid.tsx";
import { ImportDialog } from "./import-dialog.tsx";
import { LibraryBar, useLibraryView } from "./library-bar.tsx";
import { LoadMore } from "./load-more.tsx";
import { SelectionBar } from "./selection-bar.tsx";
import { UploadButton } from "./upload-button.tsx";
import { useAssetList } from "./use-asset-list.ts";
import "./library.css";

const text = texts("library");

export function LibraryPage() {
  const { asset: openId, ...filter } = useSearch({ from: "/shell/library" });
  const navigate = useNavigate({ from: "/library" });
  const mayWrite = useMay("assets:write");
  const list = useAssetList(filter);
  const [view, chooseView] = useLibraryView();
  const [selection, setSelection] = useState<Selection>(new Set());
  const [isImporting, setIsImporting] = useState(false);
  const selectedAssets = list.assets.filter(({ id }) => selection === "all" || selection.has(id));
  const isBin = filter.bin === true;
  const isFiltered = filter.q !== undefined || filter.tag !== undefined || filter.kind !== undefined;
  const isEmpty = !list.isLoading && list.error === null && list.assets.length === 0;
  const search = (changes: Partial<typeof filter>): void => {
    setSelection(new Set());
    void navigate({ search: { ...filter, ...changes }, replace: true });
  };
  const open = (asset: string | undefined): void => void navigate({ search: { ...filter, asset }, replace: asset === undefined });
  const actions = (
    <>
      <Button onPress={() => search({ bin: isBin ? undefined : true })}>
        <Icon name={isBin ? "library" : "trash"} />
        {text(isBin ? "toLibrary" : "bin")}
      </Button>
      {mayWrite && !isBin ? (
        <>
          <Button onPress={() => setIsImporting(true)}>
            <Icon name="link" />
            {text("importTitle")}
          </Button>
          <UploadButton kind="primary" />
        </>
      ) : null}
    </>
  );
  return (
    <Page title={text(isBin ? "bin" : "title")} actions={actions}>
      {isEmpty && !isFiltered ? null : <LibraryBar filter={filter} onChange={search} view={view} onView={chooseView} />}
      <ProblemMessage error={list.error} />
      {isEmpty ? (
        <NothingHere isBin={isBin} isFiltered={isFiltered} onClear={() => search({ q: undefined, tag: undefined, kind: undefined })} />
      ) : (
        <AssetGrid assets={list.assets} view={view} selection={selection} onChoose={setSelection} onOpen={open} />
      )}
      <LoadMore list={list} />
      {selectedAssets.length > 0 ? <SelectionBar assets={selectedAssets} isBin={isBin} onClear={() => setSelection(new Set())} /> : null}
      {openId === undefined ? null : <AssetDialog key={openId} id={openId} onClose={() => open(undefined)} />}
      {isImporting ? <ImportDialog onClose={() => setIsImporting(false)} /> : null}
    </Page>
  );
}

function NothingHere({ isBin, isFiltered, onClear }: { isBin: boolean; isFiltered: boolean; onClear: () => void }) {
  if (isFiltered) {
    return (
      <EmptyState icon="search" title={text("noneTitle")} text={text("noneText")}>
        <Button onPress={onClear}>{text("clearFilters")}</Button>
      </EmptyState>
    );
  }
  if (isBin) return <EmptyState icon="trash" title={text("emptyBinTitle")} text={text("emptyBinText")} />;
  return (
    <EmptyState icon="library" title={text("emptyTitle")} text={text("emptyText")}>
      <UploadButton kind="primary" />
      <UploadButton isFolder />
    </EmptyState>
  );
}
