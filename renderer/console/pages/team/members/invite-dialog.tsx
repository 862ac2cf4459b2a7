// Invites a person: who, in which role, and then the link to send.
import { useState } from "react";
import { baseUrl, client } from "../../../data/client.ts";
import type { Member } from "../../../data/members.ts";
import { useAct } from "../../../data/use-act.ts";
import { formatDateTime } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { CopyField } from "../../../ui/copy-field.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { FormDialog } from "../../../ui/form-dialog.tsx";
import { formOf } from "../../../ui/form.ts";
import { TextField } from "../../../ui/text-field.tsx";
import { RoleSelect } from "./role-select.tsx";

const text = texts("team");

export function InviteDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return isOpen ? <OpenDialog onClose={onClose} /> : null;
}

function OpenDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Member["role"]>("editor");
  const inviting = useAct({
    run: async () => (await client.post("/api/v1/invitations", { body: { name: name.trim(), email: email.trim(), role } })).data,
    changes: ["invitations", "audit"],
    showsErrors: true,
  });
  const invitation = inviting.data;
  if (invitation !== undefined) {
    const close = (
      <Button kind="primary" autoFocus onPress={onClose}>
        {text("done")}
      </Button>
    );
    return (
      <Dialog title={text("invitationTitle", { name: invitation.name })} isOpen onClose={onClose} actions={close}>
        <p>{text("invitationText", { name: invitation.name, role: invitation.role })}</p>
        {invitation.mailed ? <p>{text("mailed", { email: invitation.email })}</p> : null}
        <CopyField
          label={text("link")}
          value={`${baseUrl}/sign-in#invitation=${invitation.secret}`}
          description={text("worksOnce", { time: formatDateTime(new Date(invitation.expires_at)) })}
        />
      </Dialog>
    );
  }
  const form = formOf(inviting, ["name", "email"], inviting.mutate);
  return (
    <FormDialog title={text("inviteTitle")} intro={text("inviteText")} action={text("createLink")} form={form} onClose={onClose}>
      <TextField label={text("name")} value={name} onChange={setName} isRequired autoFocus maxLength={200} error={form.errors.name} />
      <TextField
        label={text("email")}
        type="email"
        value={email}
        onChange={setEmail}
        isRequired
        maxLength={254}
        error={form.errors.email}
      />
      <RoleSelect label={text("role")} role={role} onChange={setRole} />
    </FormDialog>
  );
}
