// Signs a person in: by password, by the link that they opened, or by an invitation.
import { useQuery } from "@tanstack/react-query";
import { useLocation, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useState } from "react";
import { sessionQuery, type Session } from "../../data/session.ts";
import { signInOptionsQuery } from "../../data/sign-in-options.ts";
import { texts } from "../../i18n/texts.ts";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { InvitationForm } from "./invitation-form.tsx";
import { LonePage } from "./lone-page.tsx";
import { PasskeyWay } from "./passkey-way.tsx";
import { PasswordForm } from "./password-form.tsx";
import { SsoWay } from "./sso-way.tsx";
import { useSignIn } from "./use-sign-in.ts";
import { WelcomeForm } from "./welcome-form.tsx";

const text = texts("signIn");

/** The form on the page. */
type View = { is: "link" } | { is: "password" } | { is: "invitation"; secret: string } | { is: "welcome"; session: Session };

export function SignInPage() {
  const navigate = useNavigate();
  const { to } = useSearch({ from: "/sign-in" });
  const hash = useLocation({ select: (location) => location.hash });
  const [view, setView] = useState<View>(() => {
    const invitation = secretIn(location.hash, "invitation");
    if (invitation !== null) return { is: "invitation", secret: invitation };
    return { is: secretIn(location.hash, "link") === null ? "password" : "link" };
  });
  const go = (): void => void navigate({ to: to ?? "/", replace: true });
  // An invited person whose email too many others carry has no password.
  const goOrWelcome = (session: Session): void => (session.has_password ? go() : setView({ is: "welcome", session }));
  const byLink = useSignIn((session) => {
    // The page says for which team it is, and who made the link.
    if (session.confined !== null) return go();
    if (!session.has_password && !session.has_passkey) return setView({ is: "welcome", session });
    showToast({ message: text("signedInByLink") });
    return go();
  });
  const { mutate: openLink, isError: hasLinkFailed } = byLink;
  useEffect(() => {
    // Read here, not from the router: a second start of this effect does not use the secret again.
    const link = secretIn(location.hash, "link");
    const invitation = secretIn(location.hash, "invitation");
    if (link === null && invitation === null) return;
    // The secret does not stay in the address and its history.
    history.replaceState(history.state, "", location.pathname + location.search);
    if (invitation !== null) setView({ is: "invitation", secret: invitation });
    else if (link !== null) {
      setView({ is: "link" });
      openLink({ method: "link", secret: link });
    }
  }, [hash, openLink]);
  const title = text(view.is === "welcome" ? "welcomeTitle" : view.is === "invitation" ? "invitationTitle" : "title");
  return (
    <LonePage title={title}>
      {view.is === "welcome" ? (
        <WelcomeForm session={view.session} onDone={go} />
      ) : view.is === "invitation" ? (
        <>
          <InvitationForm secret={view.secret} onSignedIn={goOrWelcome} />
          <SsoWay to={to} invitation={view.secret} />
        </>
      ) : view.is === "link" && !hasLinkFailed ? (
        <p role="status">{text("signingIn")}</p>
      ) : (
        <>
          <ProblemMessage error={byLink.error} />
          <Ways onSignedIn={go} />
          <SsoWay to={to} />
        </>
      )}
    </LonePage>
  );
}

/** A secret behind the `#` of the address; null: there is none. */
function secretIn(hash: string, name: "link" | "invitation"): string | null {
  return new URLSearchParams(hash.slice(1)).get(name);
}

/** The ways to sign in without a link. Whoever is signed in already goes on at once. */
function Ways({ onSignedIn }: { onSignedIn: () => void }) {
  const session = useQuery(sessionQuery);
  const { data: options, error } = useQuery(signInOptionsQuery);
  const isSignedIn = session.data !== undefined && session.data !== null && location.hash === "";
  // It is another function after each rendering, and is called only once.
  const goOn = useEffectEvent(onSignedIn);
  useEffect(() => {
    if (isSignedIn) goOn();
  }, [isSignedIn]);
  if (error !== null) return <ProblemMessage error={error} />;
  if (options === undefined || isSignedIn) return null;
  if (options.is_first_run) return <p>{text("needLink")}</p>;
  return (
    <PasswordForm onSignedIn={onSignedIn}>
      <PasskeyWay onSignedIn={onSignedIn} />
    </PasswordForm>
  );
}
