// The accounts at the provider of single sign-on that sign the person in.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Schemas } from "../../../../sdk/typescript/client.ts";
import { client } from "../../data/client.ts";
import { signInOptionsQuery } from "../../data/sign-in-options.ts";
import { startSso, takeLinking } from "../../data/sso.ts";
import { useAct } from "../../data/use-act.ts";
import { texts } from "../../i18n/texts.ts";
import { Age } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { Section } from "../../ui/section.tsx";

const text = texts("sso");

type Identity = Schemas["Identity"];

/** Nothing where the service offers no single sign-on and nobody used it. */
export function IdentitiesSection() {
  const options = useQuery(signInOptionsQuery);
  const { data } = useQuery({ queryKey: ["identities"], queryFn: async () => (await client.get("/api/v1/me/identities")).data.data });
  const name = options.data?.sso_name ?? null;
  if (data === undefined || (name === null && data.length === 0)) return null;
  return (
    <Section title={text("accounts")} text={text("accountsText")}>
      {data.length === 0 ? (
        <p>{text("noAccounts")}</p>
      ) : (
        <ul className="card identities lined">
          {data.map((each) => (
            <IdentityItem key={each.id} identity={each} provider={name ?? each.issuer} />
          ))}
        </ul>
      )}
      {name === null ? null : <LinkWay name={name} />}
    </Section>
  );
}

/** Links another account: leads to the provider, and goes on when it has led back. */
function LinkWay({ name }: { name: string }) {
  const starting = useMutation({ mutationFn: () => startSso("link"), onSuccess: (url) => location.assign(url) });
  const linking = useAct({
    run: (sso_response: string) => client.post("/api/v1/me/identities", { body: { sso_response } }),
    // It may have proven the email.
    changes: ["identities", "session", "members", "audit"],
    toast: () => ({ message: text("linked") }),
    showsErrors: true,
  });
  const { mutate: link } = linking;
  useEffect(() => {
    const answer = takeLinking();
    if (answer !== null) link(answer);
  }, [link]);
  return (
    <div className="account-form top narrow">
      <ProblemMessage error={starting.error ?? linking.error} />
      <Button isPending={starting.isPending || linking.isPending} onPress={() => starting.mutate()}>
        {text("link", { name })}
      </Button>
    </div>
  );
}

function IdentityItem({ identity: { id, email, last_used_at }, provider }: { identity: Identity; provider: string }) {
  const [isAsking, setIsAsking] = useState(false);
  const account = email === null ? provider : `${provider}, ${email}`;
  const unlinking = useAct({
    run: () => client.delete("/api/v1/me/identities/{id}", { params: { path: { id } } }),
    changes: ["identities", "audit"],
    toast: () => ({ message: text("unlinked") }),
    showsErrors: true,
  });
  return (
    <li className="identity cluster between gap-3 pad-block-3">
      <span className="stack shrink break-words">
        <strong>{provider}</strong>
        {email === null ? null : <bdi>{email}</bdi>}
        <span className="faint">
          {text("lastUsed")} <Age time={last_used_at} />
        </span>
      </span>
      <Button aria-label={text("unlinkOf", { account })} onPress={() => setIsAsking(true)}>
        {text("unlink")}
      </Button>
      <ConfirmDialog
        title={text("unlinkTitle")}
        action={text("unlink")}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        run={() => unlinking.mutateAsync()}
      >
        <p>{text("unlinkText", { account })}</p>
      </ConfirmDialog>
    </li>
  );
}
