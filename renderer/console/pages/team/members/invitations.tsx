// The people who were invited and have not accepted yet.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "../../../../../sdk/typescript/client.ts";
import { client } from "../../../data/client.ts";
import { useMay, useSession } from "../../../data/session.ts";
import { useAct } from "../../../data/use-act.ts";
import { texts } from "../../../i18n/texts.ts";
import { Age } from "../../../ui/age.tsx";
import { Button } from "../../../ui/button.tsx";
import { CardTable, type Column } from "../../../ui/card-table.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { ProblemMessage } from "../../../ui/problem-message.tsx";
import { Section } from "../../../ui/section.tsx";

const text = texts("team");

type Invitation = Schemas["Invitation"];

export function Invitations() {
  const { team } = useSession();
  const mayChange = useMay("teams:write");
  const [withdrawn, setWithdrawn] = useState<Invitation | null>(null);
  const { data, error } = useQuery({
    queryKey: ["invitations", team.id],
    queryFn: async () => {
      const all = await Array.fromAsync(client.pages("/api/v1/invitations", { params: { query: { limit: 100 } } }));
      return all.filter(({ status }) => status === "pending");
    },
    staleTime: 0,
  });
  const withdrawing = useAct({
    run: ({ id }: Invitation) => client.delete("/api/v1/invitations/{id}", { params: { path: { id } } }),
    changes: ["invitations", "audit"],
    toast: (_result, { name }) => ({ message: text("withdrawn", { name }) }),
    showsErrors: true,
  });
  if (data?.length === 0) return null;
  const columns: readonly Column<Invitation>[] = [
    {
      name: text("name"),
      is: "main",
      cell: ({ name, email }) => (
        <span className="person-names">
          <strong>{name}</strong>
          <span className="faint small">{email}</span>
        </span>
      ),
    },
    { name: text("role"), cell: ({ role }) => <span className="badge">{text(role)}</span> },
    { name: text("expires"), cell: ({ expires_at }) => <Age time={expires_at} /> },
  ];
  const actions: Column<Invitation> = {
    name: text("actions"),
    isNameHidden: true,
    is: "actions",
    cell: (invitation) => (
      <Button size="small" aria-label={text("withdrawFor", { name: invitation.name })} onPress={() => setWithdrawn(invitation)}>
        {text("withdraw")}
      </Button>
    ),
  };
  return (
    <Section title={text("invitations")} text={text("invitationsText")}>
      <ProblemMessage error={error} />
      {data === undefined ? null : (
        <CardTable label={text("invitations")} columns={mayChange ? [...columns, actions] : columns} items={data} keyOf={({ id }) => id} />
      )}
      {withdrawn === null ? null : (
        <ConfirmDialog
          title={text("withdrawTitle", { name: withdrawn.name })}
          action={text("withdraw")}
          isOpen
          onClose={() => setWithdrawn(null)}
          run={() => withdrawing.mutateAsync(withdrawn)}
        >
          <p>{text("withdrawText", { name: withdrawn.name, email: withdrawn.email })}</p>
        </ConfirmDialog>
      )}
    </Section>
  );
}
