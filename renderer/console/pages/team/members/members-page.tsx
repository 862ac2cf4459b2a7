// The members of the team, and the people who are invited.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../../../data/client.ts";
import { useMembers, type Member } from "../../../data/members.ts";
import { useMay, useSession } from "../../../data/session.ts";
import { signInOptionsQuery } from "../../../data/sign-in-options.ts";
import { useAct } from "../../../data/use-act.ts";
import { texts } from "../../../i18n/texts.ts";
import { Age } from "../../../ui/age.tsx";
import { Button } from "../../../ui/button.tsx";
import { CardTable, type Column } from "../../../ui/card-table.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { MenuButton } from "../../../ui/menu-button.tsx";
import { ProblemMessage } from "../../../ui/problem-message.tsx";
import { Section } from "../../../ui/section.tsx";
import { showToast } from "../../../ui/toasts.tsx";
import { ApprovalSection } from "./approval-section.tsx";
import { Invitations } from "./invitations.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { RoleSelect } from "./role-select.tsx";
import { SignInLinkDialog } from "./sign-in-link-dialog.tsx";

const text = texts("team");

export function MembersPage() {
  const { team, user } = useSession();
  const mayChange = useMay("teams:write");
  const { members, error } = useMembers();
  const [isInviting, setIsInviting] = useState(false);
  const [removalTarget, setRemovalTarget] = useState<Member | null>(null);
  const [linkTarget, setLinkTarget] = useState<Member | null>(null);
  const removing = useAct({
    run: ({ user_id }: Member) => client.delete("/api/v1/teams/{id}/members/{user_id}", { params: { path: { id: team.id, user_id } } }),
    changes: ["members", "tokens", "sessions", "invitations", "audit"],
    toast: (_result, { name }) => ({ message: text("removed", { name }) }),
    showsErrors: true,
  });
  const columns: readonly Column<Member>[] = [
    { name: text("name"), is: "main", cell: (member) => <Person member={member} isYou={member.user_id === user.id} /> },
    {
      name: text("role"),
      cell: (member) =>
        mayChange && member.user_id !== user.id ? <MemberRole member={member} /> : <span className="badge">{text(member.role)}</span>,
    },
    { name: text("joined"), cell: ({ created_at }) => <Age time={created_at} /> },
  ];
  const actions: Column<Member> = {
    name: text("actions"),
    isNameHidden: true,
    is: "actions",
    cell: (member) => (
      <MenuButton
        label={text("moreFor", { name: member.name })}
        actions={[
          { name: text("signInLink"), run: () => setLinkTarget(member) },
          ...(member.user_id === user.id ? [] : [{ name: text("remove"), kind: "danger" as const, run: () => setRemovalTarget(member) }]),
        ]}
      />
    ),
  };
  return (
    <>
      <Section
        title={text("members")}
        text={text("membersText")}
        actions={
          mayChange ? (
            <Button kind="primary" onPress={() => setIsInviting(true)}>
              <Icon name="plus" />
              {text("invite")}
            </Button>
          ) : undefined
        }
      >
        <ProblemMessage error={error} />
        {members === undefined ? null : (
          <CardTable
            label={text("members")}
            columns={mayChange ? [...columns, actions] : columns}
            items={members}
            keyOf={({ user_id }) => user_id}
          />
        )}
      </Section>
      <ApprovalSection />
      <Invitations />
      <InviteDialog isOpen={isInviting} onClose={() => setIsInviting(false)} />
      {linkTarget === null ? null : <SignInLinkDialog member={linkTarget} onClose={() => setLinkTarget(null)} />}
      {removalTarget === null ? null : (
        <ConfirmDialog
          title={text("removeTitle", { name: removalTarget.name })}
          action={text("remove")}
          isOpen
          onClose={() => setRemovalTarget(null)}
          run={() => removing.mutateAsync(removalTarget)}
        >
          <p>{text("removeText", { name: removalTarget.name })}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function Person({ member: { name, email, email_proven }, isYou }: { member: Member; isYou: boolean }) {
  const { data: options } = useQuery(signInOptionsQuery);
  // Where nothing proves an email, nobody's is proven.
  const canProve = options?.can_mail === true || options?.sso_name != null;
  return (
    <div className="person row gap-3 shrink">
      <span className="avatar center rigid tint accent" aria-hidden="true">
        {name.slice(0, 1).toUpperCase()}
      </span>
      <span className="person-names">
        <span className="cluster gap-2">
          <strong>{name}</strong>
          {isYou ? (
            <span className="badge" data-kind="accent">
              {text("you")}
            </span>
          ) : null}
        </span>
        <span className="faint small">
          {email ?? text("noEmail")}
          {email === null || email_proven || !canProve ? null : <span title={text("unprovenText", { name })}> ({text("unproven")})</span>}
        </span>
      </span>
    </div>
  );
}

/** Changes a member's role at once, with a way back. */
function MemberRole({ member }: { member: Member }) {
  const { team } = useSession();
  const changing = useAct({
    run: (role: Member["role"]) =>
      client.patch("/api/v1/teams/{id}/members/{user_id}", {
        params: { path: { id: team.id, user_id: member.user_id } },
        body: { role },
      }),
    changes: ["members", "tokens", "sessions", "invitations", "audit"],
  });
  const change = (role: Member["role"]): void => {
    const before = member.role;
    if (role === before) return;
    changing.mutate(role, {
      onSuccess: () => showToast({ message: text("roleChanged", { name: member.name, role }), undo: () => changing.mutate(before) }),
    });
  };
  return (
    <RoleSelect
      label={text("roleOf", { name: member.name })}
      isLabelHidden
      role={changing.isPending ? changing.variables : member.role}
      onChange={change}
      isDisabled={changing.isPending}
    />
  );
}
