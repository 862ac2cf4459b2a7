// After a first visit by link: name, email, and a password or a passkey for the next time. It may be skipped.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { directClient } from "../../data/client.ts";
import { addPasskey, usePasskeysHere } from "../../data/passkeys.ts";
import { sessionQuery, type Session } from "../../data/session.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { formOf } from "../../ui/form.ts";
import { Icon } from "../../ui/icon.tsx";
import { PasswordField } from "../../ui/password-field.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { shortestPassword } from "./shortest-password.ts";
import { Or } from "./or.tsx";

const text = texts("signIn");
const ofPasskeys = texts("passkeys");

export function WelcomeForm({ session: { user }, onDone }: { session: Session; onDone: () => void }) {
  const queries = useQueryClient();
  const [name, setName] = useState(user.name);
  const [email, setEmail] = useState(user.email ?? "");
  const [password, setPassword] = useState("");
  const canUsePasskey = usePasskeysHere();
  const saving = useMutation({
    mutationFn: async (way: "password" | "passkey") => {
      // A person who signs in by passkey needs no email.
      const next = { name: name.trim(), ...(way === "passkey" && email.trim() === "" ? {} : { email: email.trim() }) };
      await directClient.patch("/api/v1/me", { body: next });
      if (way === "passkey") await addPasskey();
      else await directClient.put("/api/v1/me/password", { body: { password } });
      await queries.fetchQuery({ ...sessionQuery, staleTime: 0 });
    },
    onSuccess: onDone,
  });
  const { errors, problem, onSubmit } = formOf(saving, ["name", "email", "password"], () => saving.mutate("password"));
  return (
    <form className="form" onSubmit={onSubmit}>
      <p>{text("welcomeText")}</p>
      <TextField label={text("name")} autoComplete="name" value={name} onChange={setName} isRequired maxLength={200} error={errors.name} />
      <TextField
        label={text("email")}
        description={text("welcomeEmail")}
        type="email"
        autoComplete="username"
        value={email}
        onChange={setEmail}
        isRequired
        maxLength={254}
        error={errors.email}
      />
      <PasswordField
        label={text("password")}
        description={text("welcomePassword", { count: shortestPassword })}
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
        isRequired
        error={errors.password}
      />
      <ProblemMessage error={problem} />
      <div className="flex end gap-2">
        <Button kind="quiet" onPress={onDone}>
          {text("skip")}
        </Button>
        <Button kind="primary" type="submit" isPending={saving.isPending && saving.variables === "password"} isDisabled={saving.isPending}>
          {text("welcomeSave")}
        </Button>
      </div>
      {canUsePasskey ? (
        <>
          <Or />
          <Button
            isPending={saving.isPending && saving.variables === "passkey"}
            isDisabled={saving.isPending || name.trim() === ""}
            onPress={() => saving.mutate("passkey")}
          >
            <Icon name="key" />
            {ofPasskeys("instead")}
          </Button>
          <p className="field-description">{ofPasskeys("insteadText")}</p>
        </>
      ) : null}
    </form>
  );
}
