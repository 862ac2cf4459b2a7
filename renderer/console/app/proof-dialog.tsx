// Asks for the person's password when the service wants a fresh proof, so that the act can go on.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { directClient } from "../data/client.ts";
import { answerProofs } from "../data/proof.ts";
import { sessionQuery, type Session } from "../data/session.ts";
import { common } from "../i18n/en/common.ts";
import { signIn } from "../i18n/en/sign-in.ts";
import { texts } from "../i18n/texts.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { formOf } from "../ui/form.ts";
import { SsoProof, useSsoProof } from "./sso-proof.tsx";
import { PasswordField } from "../ui/password-field.tsx";

const text = texts(signIn);
const words = texts(common);

type Answer = (isProved: boolean) => void;

export function ProofDialog({ session }: { session: Session }) {
  const [answer, setAnswer] = useState<Answer | null>(null);
  useEffect(
    () =>
      answerProofs(
        () =>
          new Promise((resolve) => {
            // A function given to a setter would be called by it.
            setAnswer(() => resolve);
          }),
      ),
    [],
  );
  if (answer === null) return null;
  const close = (isProved: boolean): void => {
    setAnswer(null);
    answer(isProved);
  };
  return session.has_password ? <PasswordProof session={session} onAnswer={close} /> : <NoPassword onAnswer={close} />;
}

function PasswordProof({ session, onAnswer }: { session: Session; onAnswer: Answer }) {
  const queries = useQueryClient();
  const [password, setPassword] = useState("");
  const sso = useSsoProof();
  const proving = useMutation({
    mutationFn: async () => (await directClient.post("/api/v1/session/proof", { body: { password } })).data,
    onSuccess: (proved) => {
      queries.setQueryData(sessionQuery.queryKey, proved);
      onAnswer(true);
    },
  });
  const form = formOf(proving, ["password"], proving.mutate);
  return (
    <FormDialog title={text("proofTitle")} action={text("proofAction")} form={form} onClose={() => onAnswer(false)} size="small">
      <p>{text("proofText")}</p>
      {/* For the browser's password store, which wants to know whose password it is. */}
      <input type="hidden" autoComplete="username" value={session.user.email ?? ""} readOnly />
      <PasswordField
        label={text("password")}
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        isRequired
        autoFocus
        error={form.errors.password}
      />
      {sso === null ? null : <SsoProof name={sso} isOnly={false} onProved={() => onAnswer(true)} />}
    </FormDialog>
  );
}

function NoPassword({ onAnswer }: { onAnswer: Answer }) {
  const sso = useSsoProof();
  const actions = <Button onPress={() => onAnswer(false)}>{words("close")}</Button>;
  return (
    <Dialog title={text("proofTitle")} isOpen onClose={() => onAnswer(false)} size="small" actions={actions}>
      {sso === null ? <p>{text("proofNoPassword")}</p> : <SsoProof name={sso} isOnly onProved={() => onAnswer(true)} />}
    </Dialog>
  );
}
