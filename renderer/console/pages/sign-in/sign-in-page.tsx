// Signs a person in by the link that they opened.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { client } from "../../data/client.ts";
import { sessionQuery } from "../../data/session.ts";
import { signIn } from "../../i18n/en/sign-in.ts";
import { texts } from "../../i18n/texts.ts";
import { ProblemMessage } from "../../ui/problem-message.tsx";

const text = texts(signIn);

export function SignInPage() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { to } = useSearch({ strict: false });
  const secret = new URLSearchParams(location.hash.slice(1)).get("link");
  const signingIn = useMutation({
    mutationFn: async (link: string) => (await client.post("/api/v1/session", { body: { method: "link", secret: link } })).data,
    onSuccess: async (session) => {
      queries.setQueryData(sessionQuery.queryKey, session);
      await navigate({ to: to ?? "/", replace: true });
    },
  });
  const { mutate } = signingIn;
  useEffect(() => {
    if (secret === null) return;
    // The secret does not stay in the address, and a second start of this effect does not use it again.
    history.replaceState(history.state, "", location.pathname + location.search);
    mutate(secret);
  }, [secret, mutate]);
  return (
    <div className="lone-page">
      <main className="card lone-card">
        <h1>{text("title")}</h1>
        {signingIn.isPending ? <p role="status">{text("signingIn")}</p> : <p>{text("needLink")}</p>}
        <ProblemMessage error={signingIn.error} />
      </main>
    </div>
  );
}
