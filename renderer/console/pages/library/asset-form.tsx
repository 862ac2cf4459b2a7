// Changes the name and the tags of a file. The name is saved when the field is left; a tag at once.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "../../../../sdk/typescript/client.ts";
import type { Asset } from "../../data/assets.ts";
import { client } from "../../data/client.ts";
import { queryClient } from "../../data/query-client.ts";
import { useMay } from "../../data/session.ts";
import { texts } from "../../i18n/texts.ts";
import { fieldErrorsOf, ProblemMessage } from "../../ui/problem-message.tsx";
import { TagField } from "../../ui/tag-field.tsx";
import { TextField } from "../../ui/text-field.tsx";

const text = texts("library");

export function AssetForm({ asset: { id, name, tags, deleted_at } }: { asset: Asset }) {
  const isFixed = !useMay("assets:write") || deleted_at !== null;
  const [input, setInput] = useState(name);
  const renaming = useSaving(id, (next: string) => ({ name: next }));
  const tagging = useSaving(id, (next: readonly string[]) => ({ tags: [...next] }));
  // The tags that are being saved: one that is typed meanwhile is added to them.
  const [pendingTags, setPendingTags] = useState<readonly string[]>();
  const errors = fieldErrorsOf(renaming.error);
  const rename = (): void => {
    if (input.trim() !== name) renaming.mutate(input);
  };
  return (
    <div className="form">
      <TextField
        label={text("name")}
        value={input}
        onChange={setInput}
        error={errors["name"]}
        isReadOnly={isFixed}
        onBlur={rename}
        onKeyDown={(event) => {
          if (event.key === "Enter") rename();
          else event.continuePropagation();
        }}
      />
      <TagField
        label={text("tags")}
        description={text("tagsHint")}
        value={pendingTags ?? tags}
        onChange={(next) => {
          setPendingTags(next);
          tagging.mutate(next, { onSettled: () => setPendingTags(undefined) });
        }}
        isDisabled={isFixed}
      />
      {errors["name"] === undefined ? <ProblemMessage error={renaming.error ?? tagging.error} /> : null}
    </div>
  );
}

/** Saves changes of a file, one after the other. */
function useSaving<V>(id: string, changeOf: (value: V) => Schemas["AssetChange"]) {
  return useMutation({
    scope: { id: `asset ${id}` },
    mutationFn: async (value: V) => (await client.patch("/api/v1/assets/{id}", { params: { path: { id } }, body: changeOf(value) })).data,
    onSuccess: async (asset) => {
      queryClient.setQueryData(["assets", "one", id], asset);
      await queryClient.invalidateQueries({ queryKey: ["assets", "list"] });
    },
  });
}
