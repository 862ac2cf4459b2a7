// The way to sign in by single sign-on, where the service offers it.
import { useMutation, useQuery } from "@tanstack/react-query";
import { signInOptionsQuery } from "../../data/sign-in-options.ts";
import { rememberPlace, startSso } from "../../data/sso.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { Or } from "./or.tsx";

const text = texts("sso");

interface SsoWayProps {
  /** Where to go afterwards. */
  to: string | undefined;
  /** The secret of the invitation that is accepted by it. */
  invitation?: string;
}

export function SsoWay({ to, invitation }: SsoWayProps) {
  const { data: options } = useQuery(signInOptionsQuery);
  const starting = useMutation({
    mutationFn: () => startSso("sign-in", invitation),
    onSuccess: (url) => {
      rememberPlace(to);
      location.assign(url);
    },
  });
  const name = options?.sso_name ?? null;
  if (name === null) return null;
  return (
    <>
      <Or />
      <div className="form">
        <ProblemMessage error={starting.error} />
        <Button isPending={starting.isPending} onPress={() => starting.mutate()}>
          {text(invitation === undefined ? "signInWith" : "joinWith", { name })}
        </Button>
      </div>
    </>
  );
}
