// Lets the service fetch a file from an address.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Form } from "react-aria-components";
import { client } from "../../data/client.ts";
import { common } from "../../i18n/en/common.ts";
import { library } from "../../i18n/en/library.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { fieldErrorsOf, ProblemMessage } from "../../ui/problem-message.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toasts.tsx";

const text = texts(library);
const commonText = texts(common);
const formId = "import-form";

export function ImportDialog({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const [url, setUrl] = useState("");
  const [name, setName] = useState("");
  const importing = useMutation({
    mutationFn: async () => {
      const named = name.trim() === "" ? {} : { name: name.trim() };
      return (await client.post("/api/v1/assets/import", { body: { url: url.trim(), ...named } })).data;
    },
    onSuccess: async (asset) => {
      onClose();
      showToast({ message: text("importing", { name: asset.name }) });
      await queries.invalidateQueries({ queryKey: ["assets"] });
    },
  });
  const errors = fieldErrorsOf(importing.error);
  const actions = (
    <>
      <Button onPress={onClose}>{commonText("cancel")}</Button>
      <Button kind="primary" type="submit" form={formId} isPending={importing.isPending}>
        {text("importAction")}
      </Button>
    </>
  );
  return (
    <Dialog title={text("importTitle")} isOpen onClose={onClose} actions={actions}>
      <Form
        id={formId}
        className="form"
        validationBehavior="aria"
        onSubmit={(event) => {
          event.preventDefault();
          importing.mutate();
        }}
      >
        <TextField
          label={text("importAddress")}
          description={text("importAddressHint")}
          value={url}
          onChange={setUrl}
          error={errors["url"]}
          inputMode="url"
          autoFocus
        />
        <TextField label={text("importName")} description={text("importNameHint")} value={name} onChange={setName} error={errors["name"]} />
        {Object.keys(errors).length === 0 ? <ProblemMessage error={importing.error} /> : null}
      </Form>
    </Dialog>
  );
}
