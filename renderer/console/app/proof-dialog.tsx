// Asks for the person's password, passkey or single sign-on when the service wants a fresh proof, so that the act can go on.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { directClient } from "../data/client.ts";
import { usePasskeysHere } from "../data/passkeys.ts";
import { sessionQuery, type Session } from "../data/session.ts";
import { texts } from "../i18n/texts.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { formOf } from "../ui/form.ts";
import { PasswordField } from "../ui/password-field.tsx";
import { ProblemMessage } from "../ui/problem-message.tsx";
import type { Answer } from "./proof-asker.tsx";
import { PasskeyButton, usePasskeyProof } from "./passkey-proof.tsx";
import { SsoProof, useSsoProof } from "./sso-proof.tsx";

const text = texts("signIn");
const words = texts("common");
const ofPasskeys = texts("passkeys");

export function ProofDialog({ session, onAnswer }: { session: Session; onAnswer: Answer }) {
  const canUsePasskey = usePasskeysHere(session.has_passkey);
  if (session.has_password) return <PasswordProof session={session} canUsePasskey={canUsePasskey === true} onAnswer={onAnswer} />;
  if (canUsePasskey === undefined) return null;
  return canUsePasskey ? <PasskeyProof onAnswer={onAnswer} /> : <NeitherProof onAnswer={onAnswer} />;
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
    onSuccess: (nextSession) => {
      queries.setQueryData(sessionQuery.queryKey, nextSession);
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
