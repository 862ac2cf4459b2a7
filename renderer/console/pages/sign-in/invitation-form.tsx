// Accepts an invitation: the person chooses a password and is signed in.
import { useState } from "react";
import { ProblemError } from "../../../../sdk/typescript/client.ts";
import type { Session } from "../../data/session.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { formOf } from "../../ui/form.ts";
import { PasswordField } from "../../ui/password-field.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { shortestPassword } from "./shortest-password.ts";
import { TooMany, useWait } from "./too-many.tsx";
import { useSignIn } from "./use-sign-in.ts";

const text = texts("signIn");

export function InvitationForm({ secret, onSignedIn }: { secret: string; onSignedIn: (session: Session) => void }) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const joining = useSignIn(onSignedIn);
  const waitSeconds = useWait(joining.error);
  const { errors, problem, isPending, onSubmit } = formOf(joining, ["name", "password"], () =>
    joining.mutate({ method: "invitation", secret, password, ...(name.trim() === "" ? {} : { name: name.trim() }) }),
  );
  const isTooMany = joining.error instanceof ProblemError && joining.error.status === 429;
  return (
    <form className="form" onSubmit={onSubmit}>
      <p>{text("invitationText")}</p>
      <TextField
        label={text("name")}
        description={text("nameHint")}
        autoComplete="name"
        value={name}
        onChange={setName}
        maxLength={200}
        error={errors.name}
      />
      <PasswordField
        label={text("newPassword")}
        description={text("newPasswordHint", { count: shortestPassword })}
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
        isRequired
        error={errors.password}
      />
      {isTooMany ? <TooMany waitSeconds={waitSeconds} /> : <ProblemMessage error={problem} />}
      <Button kind="primary" type="submit" isPending={isPending} isDisabled={waitSeconds > 0}>
        {text("join")}
      </Button>
    </form>
  );
}
