// Puts the files of folders into the library, with the folders' names as tags, and makes playlists of them if that is wanted.
import { useState } from "react";
import { FileTrigger } from "react-aria-components";
import { Link } from "@tanstack/react-router";
import { client } from "../../data/client.ts";
import { folderOf } from "../../data/dropped-files.ts";
import { usePageDrop } from "../../data/drops.ts";
import { useMay } from "../../data/session.ts";
import { uploadFiles, type UploadedAsset } from "../../data/uploads.ts";
import { useAct } from "../../data/use-act.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ProblemMessage, reasonOf } from "../../ui/problem-message.tsx";
import { Section } from "../../ui/section.tsx";
import { itemOfAsset } from "../../items/new-item.ts";

const text = texts("imports");
const mostItems = 1_000;

interface FolderResult {
  fileCount: number;
  playlists: readonly string[];
  /** The files and playlists that failed, by name. */
  failures: readonly { name: string; error: unknown }[];
}

export function FolderImport() {
  const [asTags, setAsTags] = useState(true);
  const [wantsPlaylists, setWantsPlaylists] = useState(false);
  const mayWritePlaylists = useMay("playlists:write");
  const importing = useAct({
    run: (files: readonly File[]) => importFolders(files, asTags, wantsPlaylists),
    changes: ["assets", "playlists"],
    showsErrors: true,
  });
  const start = (files: readonly File[]): void => {
    if (files.length > 0 && !importing.isPending) importing.mutate(files);
  };
  usePageDrop({ text: text("dropFolder"), take: () => undefined, takeFiles: start });
  return (
    <Section title={text("folderTitle")} text={text("folderText")}>
      <Checkbox isSelected={asTags} onChange={setAsTags}>
        {text("asTags")}
      </Checkbox>
      {mayWritePlaylists ? (
        <Checkbox isSelected={wantsPlaylists} onChange={setWantsPlaylists}>
          {text("asPlaylists")}
        </Checkbox>
      ) : null}
      <div className="import-actions wrap bottom gap-2-4">
        <FileTrigger acceptDirectory allowsMultiple onSelect={(files) => start([...(files ?? [])])}>
          <Button kind="primary" isPending={importing.isPending}>
            <Icon name="folder" />
            {text("chooseFolder")}
          </Button>
        </FileTrigger>
      </div>
      <ProblemMessage error={importing.error} />
      <div role="status">{importing.data === undefined ? null : <FolderSummary result={importing.data} />}</div>
    </Section>
  );
}

function FolderSummary({ result: { fileCount, playlists, failures } }: { result: FolderResult }) {
  return (
    <>
      <p>
        {text("folderDone", { count: fileCount })} <Link to="/library">{text("toLibrary")}</Link>
      </p>
      {playlists.length === 0 ? null : <p>{text("folderPlaylists", { count: playlists.length, names: playlists.join(", ") })}</p>}
      {failures.map(({ name, error }) => (
        <p key={name} className="field-error">
          {text("folderFailed", { name, reason: reasonOf(error) })}
        </p>
      ))}
    </>
  );
}

async function importFolders(files: readonly File[], asTags: boolean, asPlaylists: boolean): Promise<FolderResult> {
  const playlists: string[] = [];
  const failures: { name: string; error: unknown }[] = [];
  const attempt = async (name: string, act: () => Promise<unknown>): Promise<boolean> => {
    try {
      await act();
      return true;
    } catch (error) {
      failures.push({ name, error });
      return false;
    }
  };
  let fileCount = 0;
  // The tray sends some files at a time whatever their folders.
  const groups = [...Map.groupBy(files, folderOf)].map(([folder, group]) => ({ folder, uploads: uploadFiles(group) }));
  for (const { folder, uploads } of groups) {
    const assets = await uploads;
    fileCount += assets.length;
    const names = folder.split("/").flatMap((part) => part.trim().slice(0, 200) || []);
    if (asTags && names.length > 0) {
      for (const asset of assets) await attempt(asset.name, () => tag(asset, names));
    }
    const name = names.at(-1);
    const items = assets.flatMap((asset) => itemOfAsset(asset) ?? []).slice(0, mostItems);
    if (!asPlaylists || name === undefined || items.length === 0) continue;
    if (await attempt(name, () => client.post("/api/v1/playlists", { body: { name, items } }))) playlists.push(name);
  }
  return { fileCount, playlists, failures };
}

async function tag({ id, tags }: UploadedAsset, names: readonly string[]): Promise<void> {
  const all = [...new Set([...tags, ...names])];
  if (all.length > tags.length) await client.patch("/api/v1/assets/{id}", { params: { path: { id } }, body: { tags: all } });
}
