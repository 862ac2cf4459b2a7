// Proves by passkey that the person who is signed in is still there.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { directClient } from "../data/client.ts";
import { askForPasskey } from "../data/passkeys.ts";
import { sessionQuery } from "../data/session.ts";
import { texts } from "../i18n/texts.ts";
import { Button, type ButtonProps } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";

const text = texts("passkeys");

/** @param onProved is called when the session has a fresh proof */
export function usePasskeyProof(onProved: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async () => (await directClient.post("/api/v1/session/proof", { body: { passkey: await askForPasskey("proof") } })).data,
    onSuccess: (nextSession) => {
      queries.setQueryData(sessionQuery.queryKey, nextSession);
      onProved();
    },
  });
}

export function PasskeyButton({
  proof,
  ...props
}: { proof: ReturnType<typeof usePasskeyProof> } & Pick<ButtonProps, "kind" | "autoFocus">) {
  return (
    <Button {...props} isPending={proof.isPending} onPress={() => proof.mutate()}>
      <Icon name="key" />
      {text("use")}
    </Button>
  );
}
