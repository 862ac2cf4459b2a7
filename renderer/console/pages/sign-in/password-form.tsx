// Signs in by email and password.
import { useState, type ReactNode } from "react";
import { ProblemError } from "../../../../sdk/typescript/client.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { formOf } from "../../ui/form.ts";
import { PasswordField } from "../../ui/password-field.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { TooMany, useWait } from "./too-many.tsx";
import { useSignIn } from "./use-sign-in.ts";

const text = texts("signIn");

/** @param props.children other ways to sign in */
export function PasswordForm({ onSignedIn, children }: { onSignedIn: () => void; children?: ReactNode }) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const signingIn = useSignIn(onSignedIn);
  const waitSeconds = useWait(signingIn.error);
  const { errors, problem, isPending, onSubmit } = formOf(signingIn, ["email"], () =>
    signingIn.mutate({ method: "password", email: email.trim(), password }),
  );
  const isTooMany = signingIn.error instanceof ProblemError && signingIn.error.status === 429;
  return (
    <>
      <form className="form" onSubmit={onSubmit}>
        <TextField
          label={text("email")}
          type="email"
          name="email"
          autoComplete="username webauthn"
          value={email}
          onChange={setEmail}
          isRequired
          autoFocus
          error={errors.email}
        />
        <PasswordField
          label={text("password")}
          name="password"
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
          isRequired
        />
        {isTooMany ? <TooMany waitSeconds={waitSeconds} /> : <ProblemMessage error={problem} />}
        <Button kind="primary" type="submit" isPending={isPending} isDisabled={waitSeconds > 0}>
          {text("submit")}
        </Button>
      </form>
      {children}
      <details className="sign-in-help soft">
        <summary className="pad-block-1 accent pointer">{text("forgotten")}</summary>
        <p className="above-2">
          {text("forgottenText")} <code className="mono break-words">signage-service sign-in-link --email …</code>
        </p>
        <p className="above-2">{text("forgottenOwner")}</p>
      </details>
    </>
  );
}
