// Creates a token: its name, its permissions, how long; then its secret, once.
import { useState } from "react";
import { dayMs, iso } from "../../../../../src/base/time.ts";
import type { Scope } from "../../../../../src/protocol/operator/people.ts";
import { client } from "../../../data/client.ts";
import { useSession } from "../../../data/session.ts";
import { useAct } from "../../../data/use-act.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { CopyField } from "../../../ui/copy-field.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { FormDialog } from "../../../ui/form-dialog.tsx";
import { formOf } from "../../../ui/form.ts";
import { Select } from "../../../ui/select.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { ScopeField } from "./scope-field.tsx";
import { presets } from "./scopes.ts";

const text = texts("tokens");

const ends = ["never", "30", "90", "365"] as const;
const endName = (days: (typeof ends)[number]): string =>
  days === "never" ? text("never") : days === "365" ? text("year") : text("days", { count: Number(days) });
const endOptions = ends.map((id) => ({ id, name: endName(id) }));

export function NewTokenDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return isOpen ? <OpenDialog onClose={onClose} /> : null;
}

function OpenDialog({ onClose }: { onClose: () => void }) {
  const { scopes: ownScopes } = useSession();
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(() => new Set(ownScopes.filter(presets[0]!.includes)));
  const [days, setDays] = useState<(typeof ends)[number]>("never");
  const [isIncomplete, setIsIncomplete] = useState(false);
  const creating = useAct({
    run: async () => {
      const expires_at = days === "never" ? null : iso(Date.now() + Number(days) * dayMs);
      return (await client.post("/api/v1/tokens", { body: { name: name.trim(), scopes: [...scopes], expires_at } })).data;
    },
    changes: ["tokens", "audit"],
    showsErrors: true,
  });
  const token = creating.data;
  if (token !== undefined) {
    const doneButton = (
      <Button kind="primary" onPress={onClose}>
        {text("done")}
      </Button>
    );
    return (
      <Dialog title={text("createdTitle", { name: token.name })} isOpen onClose={onClose} role="alertdialog" actions={doneButton}>
        <CopyField label={text("secret")} value={token.secret} description={text("copyText")} />
      </Dialog>
    );
  }
  const form = formOf(creating, ["name"], () => {
    setIsIncomplete(scopes.size === 0);
    if (scopes.size > 0) creating.mutate();
  });
  return (
    <FormDialog title={text("create")} action={text("create")} form={form} onClose={onClose}>
      <TextField
        label={text("name")}
        description={text("nameHint")}
        value={name}
        onChange={setName}
        isRequired
        autoFocus
        maxLength={200}
        error={form.errors.name}
      />
      <ScopeField value={scopes} onChange={setScopes} />
      {isIncomplete && scopes.size === 0 ? (
        <p className="field-error" role="alert">
          {text("chooseOne")}
        </p>
      ) : null}
      <Select label={text("expires")} options={endOptions} selectedKey={days} onSelectionChange={setDays} />
    </FormDialog>
  );
}
