// Lets the service fetch a file from an address.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { client } from "../../data/client.ts";
import { texts } from "../../i18n/texts.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { formOf } from "../../ui/form.ts";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toasts.tsx";

const text = texts("library");

export function ImportDialog({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const [url, setUrl] = useState("");
  const [name, setName] = useState("");
  const importing = useMutation({
    mutationFn: async () => {
      const optionalName = name.trim() === "" ? {} : { name: name.trim() };
      return (await client.post("/api/v1/assets/import", { body: { url: url.trim(), ...optionalName } })).data;
    },
    onSuccess: async (asset) => {
      onClose();
      showToast({ message: text("importing", { name: asset.name }) });
      await queries.invalidateQueries({ queryKey: ["assets"] });
    },
  });
  const form = formOf(importing, ["url", "name"], importing.mutate);
  return (
    <FormDialog title={text("importTitle")} action={text("importAction")} form={form} onClose={onClose} noValidate>
      <TextField
        label={text("importAddress")}
        description={text("importAddressHint")}
        value={url}
        onChange={setUrl}
        error={form.errors.url}
        inputMode="url"
        autoFocus
      />
      <TextField label={text("importName")} description={text("importNameHint")} value={name} onChange={setName} error={form.errors.name} />
      <p>
        <Link to="/import" search={{ of: "media" }}>
          {text("importMany")}
        </Link>
      </p>
    </FormDialog>
  );
}
