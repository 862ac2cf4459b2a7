// A person's own name and email.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../../data/client.ts";
import { sessionQuery, useSession } from "../../data/session.ts";
import { useAct } from "../../data/use-act.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { formOf } from "../../ui/form.ts";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { Section } from "../../ui/section.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { EmailProof } from "./email-proof.tsx";

const text = texts("account");

export function PersonSection() {
  const { user } = useSession();
  const queries = useQueryClient();
  const [name, setName] = useState(user.name);
  const [email, setEmail] = useState(user.email ?? "");
  const saving = useAct({
    run: async () => {
      const isEmailNew = email.trim() !== (user.email ?? "");
      // An empty field is left as it was: an email cannot be taken away.
      const body = { name: name.trim(), ...(isEmailNew && email.trim() !== "" ? { email: email.trim() } : {}) };
      const { data } = await client.patch("/api/v1/me", { body });
      return data;
    },
    changes: ["members", "audit"],
    toast: () => ({ message: text("saved") }),
    after: (person) => {
      setName(person.name);
      setEmail(person.email ?? "");
      queries.setQueryData(sessionQuery.queryKey, (session) => (session ? { ...session, user: person } : session));
    },
    showsErrors: true,
  });
  const { errors, problem, isPending, onSubmit } = formOf(saving, ["name", "email"], saving.mutate);
  const isChanged = name !== user.name || email !== (user.email ?? "");
  return (
    <Section title={text("person")} text={text("personText")}>
      <form className="card form account-form top narrow" onSubmit={onSubmit}>
        <TextField
          label={text("name")}
          autoComplete="name"
          value={name}
          onChange={setName}
          isRequired
          maxLength={200}
          error={errors.name}
        />
        <TextField
          label={text("email")}
          description={text("emailText")}
          type="email"
          autoComplete="email"
          value={email}
          onChange={setEmail}
          maxLength={254}
          error={errors.email}
        />
        <ProblemMessage error={problem} />
        <Button kind="primary" type="submit" isPending={isPending} isDisabled={!isChanged}>
          {text("save")}
        </Button>
      </form>
      <EmailProof />
    </Section>
  );
}
