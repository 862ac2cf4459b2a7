// The access tokens of programs.
import { useState } from "react";
import type { Schemas } from "../../../../../sdk/typescript/client.ts";
import { client } from "../../../data/client.ts";
import { useMembers } from "../../../data/members.ts";
import { usePagedList } from "../../../data/paged.ts";
import { useMay, useSession } from "../../../data/session.ts";
import { useAct } from "../../../data/use-act.ts";
import { texts } from "../../../i18n/texts.ts";
import { Age } from "../../../ui/age.tsx";
import { Button } from "../../../ui/button.tsx";
import type { Column } from "../../../ui/card-table.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { MenuButton } from "../../../ui/menu-button.tsx";
import { NameDialog } from "../../../ui/name-dialog.tsx";
import { PagedTable } from "../../../ui/paged-table.tsx";
import { Section } from "../../../ui/section.tsx";
import { NewTokenDialog } from "./new-token-dialog.tsx";
import { summaryOf } from "./scopes.ts";

const text = texts("tokens");
const words = texts("common");

type Token = Schemas["Token"];

export function TokensPage() {
  const { team } = useSession();
  const mayChange = useMay("tokens:write");
  const { nameOf } = useMembers();
  const [isCreating, setIsCreating] = useState(false);
  const [renameTarget, setRenameTarget] = useState<Token | null>(null);
  const [revokeTarget, setRevokeTarget] = useState<Token | null>(null);
  const list = usePagedList(
    ["tokens", team.id],
    async (cursor) =>
      (await client.get("/api/v1/tokens", { params: { query: { limit: 50, ...(cursor === undefined ? {} : { cursor }) } } })).data,
  );
  const renaming = useAct({
    run: (name: string) => client.patch("/api/v1/tokens/{id}", { params: { path: { id: renameTarget!.id } }, body: { name } }),
    changes: ["tokens", "audit"],
    toast: (_result, name) => ({ message: text("renamed", { name }) }),
    after: () => setRenameTarget(null),
    showsErrors: true,
  });
  const revoking = useAct({
    run: ({ id }: Token) => client.delete("/api/v1/tokens/{id}", { params: { path: { id } } }),
    changes: ["tokens", "invitations", "audit"],
    toast: (_result, { name }) => ({ message: text("revoked", { name }) }),
    showsErrors: true,
  });
  const columns: readonly Column<Token>[] = [
    {
      name: text("name"),
      is: "main",
      cell: ({ name, hint }) => (
        <span className="person-names">
          <strong>{name}</strong>
          {hint === "" ? null : <span className="faint mono">…{hint}</span>}
        </span>
      ),
    },
    { name: text("allows"), cell: ({ scopes }) => <span title={scopes.join(", ")}>{summaryOf(scopes)}</span> },
    { name: text("person"), is: "text", cell: ({ user_id }) => nameOf(user_id) },
    { name: text("created"), cell: ({ created_at }) => <Age time={created_at} /> },
    {
      name: text("lastUsed"),
      cell: ({ last_used_at }) => (last_used_at === null ? <span className="faint">{text("notUsed")}</span> : <Age time={last_used_at} />),
    },
    {
      name: text("expires"),
      cell: ({ expires_at }) => (expires_at === null ? <span className="faint">{text("never")}</span> : <Age time={expires_at} />),
    },
  ];
  const actions: Column<Token> = {
    name: text("actions"),
    isNameHidden: true,
    is: "actions",
    cell: (token) => (
      <MenuButton
        label={text("moreFor", { name: token.name })}
        actions={[
          { name: text("rename"), run: () => setRenameTarget(token) },
          { name: text("revoke"), kind: "danger", run: () => setRevokeTarget(token) },
        ]}
      />
    ),
  };
  const create = (
    <Button kind="primary" onPress={() => setIsCreating(true)}>
      <Icon name="plus" />
      {text("create")}
    </Button>
  );
  return (
    <Section title={text("title")} text={text("intro")} actions={mayChange ? create : undefined}>
      <PagedTable
        label={text("title")}
        list={list}
        columns={mayChange ? [...columns, actions] : columns}
        keyOf={({ id }) => id}
        empty={<EmptyState icon="key" title={text("emptyTitle")} text={text("emptyText")} />}
      />
      <NewTokenDialog isOpen={isCreating} onClose={() => setIsCreating(false)} />
      <NameDialog
        title={text("renameTitle")}
        label={text("name")}
        name={renameTarget?.name ?? ""}
        action={words("save")}
        isOpen={renameTarget !== null}
        onClose={() => setRenameTarget(null)}
        act={renaming}
      />
      {revokeTarget === null ? null : (
        <ConfirmDialog
          title={text("revokeTitle", { name: revokeTarget.name })}
          action={text("revoke")}
          isOpen
          onClose={() => setRevokeTarget(null)}
          run={() => revoking.mutateAsync(revokeTarget)}
        >
          <p>{text("revokeText")}</p>
        </ConfirmDialog>
      )}
    </Section>
  );
}
