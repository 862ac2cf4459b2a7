// Changes the name and the tags of a file. What was typed is saved when the field is left; a tag at once.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Asset } from "../../data/assets.ts";
import { client } from "../../data/client.ts";
import { queryClient } from "../../data/query-client.ts";
import { useMay } from "../../data/session.ts";
import { library } from "../../i18n/en/library.ts";
import { texts } from "../../i18n/texts.ts";
import { fieldErrorsOf, ProblemMessage } from "../../ui/problem-message.tsx";
import { TagField } from "../../ui/tag-field.tsx";
import { TextField } from "../../ui/text-field.tsx";

const text = texts(library);

export function AssetForm({ asset: { id, name, tags, deleted_at } }: { asset: Asset }) {
  const isFixed = !useMay("assets:write") || deleted_at !== null;
  const [typed, setTyped] = useState(name);
  const saving = useMutation({
    mutationFn: async (body: { name?: string; tags?: string[] }) =>
      (await client.patch("/api/v1/assets/{id}", { params: { path: { id } }, body })).data,
    onSuccess: async (changed) => {
      queryClient.setQueryData(["assets", "one", id], changed);
      await queryClient.invalidateQueries({ queryKey: ["assets", "list"] });
    },
  });
  const errors = fieldErrorsOf(saving.error);
  const rename = (): void => {
    if (typed.trim() !== name) saving.mutate({ name: typed });
  };
  return (
    <div className="form">
      <TextField
        label={text("name")}
        value={typed}
        onChange={setTyped}
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
        value={tags}
        onChange={(next) => saving.mutate({ tags: [...next] })}
        isDisabled={isFixed}
      />
      {errors["name"] === undefined ? <ProblemMessage error={saving.error} /> : null}
    </div>
  );
}
