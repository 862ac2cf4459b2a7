// A fresh proof by single sign-on, in a window of its own: the page below stays as it is.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { client } from "../data/client.ts";
import { sessionQuery } from "../data/session.ts";
import { signInOptionsQuery } from "../data/sign-in-options.ts";
import { proofChannelName, startSso } from "../data/sso.ts";
import { texts } from "../i18n/texts.ts";
import { Button } from "../ui/button.tsx";
import { ProblemMessage } from "../ui/problem-message.tsx";

const text = texts("sso");

/** The name of the provider if it can prove who the person is; null: it cannot, or it is not known yet. */
export function useSsoProof(): string | null {
  const options = useQuery(signInOptionsQuery);
  const accounts = useQuery({ queryKey: ["identities"], queryFn: async () => (await client.get("/api/v1/me/identities")).data.data });
  return (accounts.data ?? []).length === 0 ? null : (options.data?.sso_name ?? null);
}

/** @param props.isOnly whether there is no other way to give a proof */
export function SsoProof({ name, isOnly, onProved }: { name: string; isOnly: boolean; onProved: () => void }) {
  const queries = useQueryClient();
  useEffect(() => {
    const channel = new BroadcastChannel(proofChannelName);
    channel.addEventListener("message", () => {
      void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
      onProved();
    });
    return () => channel.close();
  }, [queries, onProved]);
  const starting = useMutation({
    mutationFn: async (popup: Window | null) => {
      if (popup === null) throw new Error(text("proofBlocked"));
      try {
        popup.location.replace(await startSso("proof"));
      } catch (error) {
        popup.close();
        throw error;
      }
    },
  });
  return (
    <div className="form">
      <p role="status">{starting.isSuccess ? text("proofWaiting", { name }) : text(isOnly ? "proofOnly" : "proofText", { name })}</p>
      <ProblemMessage error={starting.error} />
      {/* Opened at once, since browsers allow it only while a button is pressed. */}
      <Button kind={isOnly ? "primary" : "plain"} isPending={starting.isPending} onPress={() => starting.mutate(window.open("", "_blank"))}>
        {text("proofWith", { name })}
      </Button>
    </div>
  );
}
