// Accepts an invitation: the person chooses a password and is signed in.
import { useState, type FormEvent } from "react";
import { ProblemError } from "../../../../sdk/typescript/client.ts";
import { signIn } from "../../i18n/en/sign-in.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { PasswordField } from "../../ui/password-field.tsx";
import { fieldErrorsOf, ProblemMessage } from "../../ui/problem-message.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { shortestPassword } from "./shortest-password.ts";
import { TooMany, useWait } from "./too-many.tsx";
import { useSignIn } from "./use-sign-in.ts";

const text = texts(signIn);

export function InvitationForm({ secret, onSignedIn }: { secret: string; onSignedIn: () => void }) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const joining = useSignIn(onSignedIn);
  const waitSeconds = useWait(joining.error);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    joining.mutate({ method: "invitation", secret, password, ...(name.trim() === "" ? {} : { name: name.trim() }) });
  };
  const errors = fieldErrorsOf(joining.error);
  const isTooMany = joining.error instanceof ProblemError && joining.error.status === 429;
  return (
    <form className="form" onSubmit={submit}>
      <p>{text("invitationText")}</p>
      <TextField
        label={text("name")}
        description={text("nameHint")}
        autoComplete="name"
        value={name}
        onChange={setName}
        maxLength={200}
        error={errors["name"]}
      />
      <PasswordField
        label={text("newPassword")}
        description={text("newPasswordHint", { count: shortestPassword })}
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
        isRequired
        error={errors["password"]}
      />
      {isTooMany ? (
        <TooMany waitSeconds={waitSeconds} />
      ) : errors["password"] === undefined && errors["name"] === undefined ? (
        <ProblemMessage error={joining.error} />
      ) : null}
      <Button kind="primary" type="submit" isPending={joining.isPending} isDisabled={waitSeconds > 0}>
        {text("join")}
      </Button>
    </form>
  );
}
