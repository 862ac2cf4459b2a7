// Asks for the person's password, passkey or single sign-on when the service wants a fresh proof, so that the act can go on.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { directClient } from "../data/client.ts";
import { usePasskeysHere } from "../data/passkeys.ts";
import { answerProofs } from "../data/proof.ts";
import { sessionQuery, type Session } from "../data/session.ts";
import { common } from "../i18n/en/common.ts";
import { passkeys } from "../i18n/en/passkeys.ts";
import { signIn } from "../i18n/en/sign-in.ts";
import { texts } from "../i18n/texts.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { formOf } from "../ui/form.ts";
import { PasswordField } from "../ui/password-field.tsx";
import { ProblemMessage } from "../ui/problem-message.tsx";
import { PasskeyButton, usePasskeyProof } from "./passkey-proof.tsx";
import { SsoProof, useSsoProof } from "./sso-proof.tsx";

const text = texts(signIn);
const words = texts(common);
const ofPasskeys = texts(passkeys);

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
  const canUsePasskey = usePasskeysHere(session.has_passkey && answer !== null);
  if (answer === null) return null;
  const close = (isProved: boolean): void => {
    setAnswer(null);
    answer(isProved);
  };
  if (session.has_password) return <PasswordProof session={session} canUsePasskey={canUsePasskey === true} onAnswer={close} />;
  if (canUsePasskey === undefined) return null;
  return canUsePasskey ? <PasskeyProof onAnswer={close} /> : <NeitherProof onAnswer={close} />;
}

interface PasswordProofProps {
  session: Session;
  canUsePasskey: boolean;
  onAnswer: Answer;
}

function PasswordProof({ session, canUsePasskey, onAnswer }: PasswordProofProps) {
  const queries = useQueryClient();
  const [password, setPassword] = useState("");
  const proving = useMutation({
    mutationFn: async () => (await directClient.post("/api/v1/session/proof", { body: { password } })).data,
    onSuccess: (proved) => {
      queries.setQueryData(sessionQuery.queryKey, proved);
      onAnswer(true);
    },
  });
  const byPasskey = usePasskeyProof(() => onAnswer(true));
  const sso = useSsoProof();
  const form = formOf(proving, ["password"], () => {
    byPasskey.reset();
    proving.mutate();
  });
  return (
    <FormDialog
      title={text("proofTitle")}
      action={text("proofAction")}
      form={form}
      onClose={() => onAnswer(false)}
      size="small"
      otherActions={canUsePasskey ? <PasskeyButton proof={byPasskey} /> : null}
    >
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
      <ProblemMessage error={byPasskey.error} />
      {sso === null ? null : <SsoProof name={sso} isOnly={false} onProved={() => onAnswer(true)} />}
    </FormDialog>
  );
}

function PasskeyProof({ onAnswer }: { onAnswer: Answer }) {
  const proof = usePasskeyProof(() => onAnswer(true));
  const sso = useSsoProof();
  const actions = (
    <>
      <Button onPress={() => onAnswer(false)}>{words("cancel")}</Button>
      <PasskeyButton proof={proof} kind="primary" autoFocus />
    </>
  );
  return (
    <Dialog title={text("proofTitle")} isOpen onClose={() => onAnswer(false)} size="small" actions={actions}>
      <p>{ofPasskeys("proofText")}</p>
      <ProblemMessage error={proof.error} />
      {sso === null ? null : <SsoProof name={sso} isOnly={false} onProved={() => onAnswer(true)} />}
    </Dialog>
  );
}

/** The person has neither a password nor a passkey that this browser can use. */
function NeitherProof({ onAnswer }: { onAnswer: Answer }) {
  const sso = useSsoProof();
  const actions = <Button onPress={() => onAnswer(false)}>{words("close")}</Button>;
  return (
    <Dialog title={text("proofTitle")} isOpen onClose={() => onAnswer(false)} size="small" actions={actions}>
      {sso === null ? <p>{text("proofNoPassword")}</p> : <SsoProof name={sso} isOnly onProved={() => onAnswer(true)} />}
    </Dialog>
  );
}
