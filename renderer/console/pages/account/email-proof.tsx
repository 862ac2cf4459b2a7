// Proves the person's email by a code that the service mails to it. Nothing where it mails nothing, or the email is proven.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../../data/client.ts";
import { useSession } from "../../data/session.ts";
import { signInOptionsQuery } from "../../data/sign-in-options.ts";
import { useAct } from "../../data/use-act.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { formOf } from "../../ui/form.ts";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { TextField } from "../../ui/text-field.tsx";

const text = texts("account");

export function EmailProof() {
  const { user } = useSession();
  const { data: options } = useQuery(signInOptionsQuery);
  const [code, setCode] = useState("");
  const sending = useAct({ run: async () => (await client.post("/api/v1/me/email/code", {})).data, changes: ["audit"], showsErrors: true });
  const proving = useAct({
    run: () => client.post("/api/v1/me/email/proof", { body: { code } }),
    changes: ["session", "members", "audit"],
    toast: () => ({ message: text("emailProven") }),
    showsErrors: true,
  });
  const { errors, problem, isPending, onSubmit } = formOf(proving, ["code"], proving.mutate);
  if (user.email === null || user.email_proven || options?.can_mail !== true) return null;
  // The code belongs to the email that was asked for.
  const isSent = sending.data?.email === user.email;
  return (
    <form className="card form account-form top narrow" onSubmit={onSubmit}>
      <p>{isSent ? text("codeSent", { email: user.email }) : text("emailUnproven", { email: user.email })}</p>
      {isSent ? <TextField label={text("code")} value={code} onChange={setCode} isRequired maxLength={20} error={errors.code} /> : null}
      <ProblemMessage error={sending.error ?? problem} />
      <div className="wrap gap-3">
        <Button isPending={sending.isPending} onPress={() => sending.mutate()}>
          {text(isSent ? "sendCodeAgain" : "sendCode")}
        </Button>
        {isSent ? (
          <Button kind="primary" type="submit" isPending={isPending}>
            {text("proveEmail")}
          </Button>
        ) : null}
      </div>
    </form>
  );
}
