// Listens for the service's wish for a fresh proof from the first moment of a page on. Its dialog is loaded when it is needed.
import { lazy, Suspense, useEffect, useState } from "react";
import { answerProofs } from "../data/proof.ts";
import type { Session } from "../data/session.ts";

export type Answer = (isProved: boolean) => void;

const ProofDialog = lazy(async () => ({ default: (await import("./proof-dialog.tsx")).ProofDialog }));

export function ProofAsker({ session }: { session: Session }) {
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
  return (
    <Suspense fallback={null}>
      <ProofDialog session={session} onAnswer={close} />
    </Suspense>
  );
}
