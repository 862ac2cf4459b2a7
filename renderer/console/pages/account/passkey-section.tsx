// The passkeys of a person: lists, adds, renames and removes them.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "../../../../sdk/typescript/client.ts";
import { client } from "../../data/client.ts";
import { addPasskey, forgetPasskey, usePasskeysHere } from "../../data/passkeys.ts";
import { useSession } from "../../data/session.ts";
import { useAct } from "../../data/use-act.ts";
import { texts } from "../../i18n/texts.ts";
import { Age } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { CardTable, type Column } from "../../ui/card-table.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Icon } from "../../ui/icon.tsx";
import { MenuButton } from "../../ui/menu-button.tsx";
import { NameDialog } from "../../ui/name-dialog.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { Section } from "../../ui/section.tsx";

const text = texts("passkeys");

type Passkey = Schemas["Passkey"];

// The session says whether the person has one, and how else they sign in.
const changes = ["passkeys", "session", "sign-in-options", "audit"];

/** Nothing where browsers offer no passkeys, unless the person has some for another address. */
export function PasskeySection() {
  const { has_passkey } = useSession();
  const isPossible = usePasskeysHere();
  return isPossible === true || has_passkey ? <OwnPasskeys isPossible={isPossible === true} /> : null;
}

function OwnPasskeys({ isPossible }: { isPossible: boolean }) {
  const { user } = useSession();
  const { data: rows, error } = useQuery({
    queryKey: ["passkeys", user.id],
    queryFn: async () => (await client.get("/api/v1/me/passkeys")).data.data,
  });
  const adding = useAct({
    run: addPasskey,
    changes,
    toast: ({ name }) => ({ message: text("added", { name }) }),
    showsErrors: true,
  });
  // In one place whether there are passkeys or not, so that it keeps the focus.
  const add = (
    <Button isPending={adding.isPending} onPress={() => adding.mutate()}>
      <Icon name="key" />
      {text("add")}
    </Button>
  );
  return (
    <Section title={text("title")} text={text("text")} actions={isPossible ? add : undefined}>
      <ProblemMessage error={error ?? adding.error} />
      {rows === undefined ? null : rows.length === 0 ? <p className="card">{text("none")}</p> : <PasskeyTable rows={rows} />}
    </Section>
  );
}

function PasskeyTable({ rows }: { rows: readonly Passkey[] }) {
  const [renameTarget, setRenameTarget] = useState<Passkey | null>(null);
  const [removalTarget, setRemovalTarget] = useState<Passkey | null>(null);
  const renaming = useAct({
    run: (name: string) => client.patch("/api/v1/me/passkeys/{id}", { params: { path: { id: renameTarget!.id } }, body: { name } }),
    changes: ["passkeys", "audit"],
    toast: (_answer, name) => ({ message: text("renamed", { name }) }),
    after: () => setRenameTarget(null),
    showsErrors: true,
  });
  const removing = useAct({
    run: ({ id }: Passkey) => client.delete("/api/v1/me/passkeys/{id}", { params: { path: { id } } }),
    changes,
    toast: (_answer, { name }) => ({ message: text("removed", { name }) }),
    after: (_answer, passkey) => void forgetPasskey(passkey),
    showsErrors: true,
  });
  const columns: readonly Column<Passkey>[] = [
    {
      name: text("name"),
      is: "main",
      cell: ({ name, host, is_synced }) => (
        <span className="passkey-name cluster shrink break-words">
          <strong>{name}</strong>
          {is_synced ? <span className="badge">{text("synced")}</span> : null}
          {host === location.hostname ? null : <span className="faint">{text("elsewhere", { host })}</span>}
        </span>
      ),
    },
    { name: text("created"), cell: ({ created_at }) => <Age time={created_at} /> },
    {
      name: text("lastUsed"),
      cell: ({ last_used_at }) => (last_used_at === null ? <span className="faint">{text("never")}</span> : <Age time={last_used_at} />),
    },
    {
      name: text("actions"),
      isNameHidden: true,
      is: "actions",
      cell: (passkey) => (
        <MenuButton
          label={text("more", { name: passkey.name })}
          actions={[
            { name: text("rename"), run: () => setRenameTarget(passkey) },
            { name: text("remove"), run: () => setRemovalTarget(passkey), kind: "danger" },
          ]}
        />
      ),
    },
  ];
  return (
    <>
      <CardTable label={text("list")} columns={columns} items={rows} keyOf={({ id }) => id} />
      <NameDialog
        title={text("renameTitle")}
        label={text("name")}
        name={renameTarget?.name ?? ""}
        action={text("rename")}
        isOpen={renameTarget !== null}
        onClose={() => setRenameTarget(null)}
        act={renaming}
      />
      <ConfirmDialog
        title={text("removeTitle", { name: removalTarget?.name ?? "" })}
        action={text("remove")}
        isOpen={removalTarget !== null}
        onClose={() => setRemovalTarget(null)}
        run={() => removing.mutateAsync(removalTarget!)}
      >
        <p>{text("removeText")}</p>
      </ConfirmDialog>
    </>
  );
}
