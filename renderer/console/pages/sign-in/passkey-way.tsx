// Signs in by passkey: with a button, and where the person types their email.
import { useMutation } from "@tanstack/react-query";
import { useEffect } from "react";
import { minuteMs } from "../../../../src/base/time.ts";
import { ProblemError } from "../../../../sdk/typescript/client.ts";
import { askForPasskey, canOffer, NoPasskeyError, stopAsking, usePasskeysHere } from "../../data/passkeys.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { useSignIn } from "./use-sign-in.ts";
import { Or } from "./or.tsx";

const text = texts("passkeys");

// The service's challenge lasts for five minutes.
const offerMs = 4 * minuteMs;

export function PasskeyWay({ onSignedIn }: { onSignedIn: () => void }) {
  const isPossible = usePasskeysHere();
  return isPossible ? <Way onSignedIn={onSignedIn} /> : null;
}

function Way({ onSignedIn }: { onSignedIn: () => void }) {
  const { mutateAsync: signIn } = useSignIn(onSignedIn);
  const signingIn = useMutation({
    mutationFn: async (proof: Awaited<ReturnType<typeof askForPasskey>> | null) => {
      const passkey = proof ?? (await askForPasskey("sign-in"));
      return signIn({ method: "passkey", passkey });
    },
  });
  const { mutate, isPending } = signingIn;
  // Offered again after each try: the browser answers one question at a time.
  useOffer(!isPending, mutate);
  return (
    <>
      <Or />
      <ProblemMessage error={signingIn.error} />
      <Button isPending={isPending} onPress={() => mutate(null)}>
        <Icon name="key" />
        {text("signIn")}
      </Button>
    </>
  );
}

/** Offers passkeys where the person types their email, and asks anew when they come back after the question is too old. */
function useOffer(isOn: boolean, onPasskey: (passkey: Awaited<ReturnType<typeof askForPasskey>>) => void): void {
  useEffect(() => {
    if (!isOn) return undefined;
    let isLeft = false;
    let askedAt = performance.now();
    const offer = async (): Promise<void> => {
      if (!(await canOffer()) || isLeft) return;
      askedAt = performance.now();
      try {
        const passkey = await askForPasskey("sign-in", true);
        if (!isLeft) onPasskey(passkey);
      } catch (error) {
        // Nobody asked for it: whoever presses the button is told why it fails.
        if (!(error instanceof NoPasskeyError || error instanceof ProblemError || error instanceof TypeError)) throw error;
      }
    };
    const renew = (): void => {
      if (performance.now() - askedAt > offerMs) void offer();
    };
    void offer();
    addEventListener("focus", renew);
    return () => {
      isLeft = true;
      removeEventListener("focus", renew);
    };
  }, [isOn, onPasskey]);
  useEffect(() => () => void stopAsking(), []);
}
