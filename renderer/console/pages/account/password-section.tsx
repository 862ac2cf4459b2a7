// Sets or changes a person's own password.
import { useState } from "react";
import { minuteMs } from "../../../../src/base/time.ts";
import { directClient } from "../../data/client.ts";
import { useSession, type Session } from "../../data/session.ts";
import { useAct } from "../../data/use-act.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { formOf } from "../../ui/form.ts";
import { useNow } from "../../ui/now.ts";
import { PasswordField } from "../../ui/password-field.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { Section } from "../../ui/section.tsx";
import { shortestPassword } from "../sign-in/shortest-password.ts";

const text = texts("account");

/** Whoever signed in by a link, because they lost their password, sets a new one without it for this long. */
const afterLinkMs = 15 * minuteMs;

export function PasswordSection() {
  const session = useSession();
  return (
    <Section title={text("password")} {...(session.has_password || session.has_passkey ? {} : { text: text("noPassword") })}>
      {session.user.email === null ? <p>{text("noEmail")}</p> : <PasswordForm session={session} />}
    </Section>
  );
}

function PasswordForm({ session: { user, has_password, method, created_at } }: { session: Session }) {
  const now = useNow();
  const [current, setCurrent] = useState("");
  const [password, setPassword] = useState("");
  const hasLostIt = method === "link" && now.getTime() - Date.parse(created_at) < afterLinkMs;
  const needsCurrent = has_password && !hasLostIt;
  const setting = useAct({
    run: () => directClient.put("/api/v1/me/password", { body: { password, ...(needsCurrent ? { current_password: current } : {}) } }),
    // Other sessions end with a new password.
    changes: ["session", "sessions", "audit"],
    toast: () => ({ message: text("passwordSet") }),
    after: () => {
      setCurrent("");
      setPassword("");
    },
    showsErrors: true,
  });
  const { errors, problem, isPending, onSubmit } = formOf(setting, ["current_password", "password"], setting.mutate);
  return (
    <form className="card form account-form top narrow" onSubmit={onSubmit}>
      {/* For the browser's password store, which wants to know whose password it is. */}
      <input type="hidden" autoComplete="username" value={user.email ?? ""} readOnly />
      {needsCurrent ? (
        <PasswordField
          label={text("currentPassword")}
          autoComplete="current-password"
          value={current}
          onChange={setCurrent}
          isRequired
          error={errors.current_password}
        />
      ) : null}
      <PasswordField
        label={text("newPassword")}
        description={text("passwordText", { count: shortestPassword })}
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
        isRequired
        error={errors.password}
      />
      <ProblemMessage error={problem} />
      <Button kind="primary" type="submit" isPending={isPending}>
        {text(has_password ? "changePassword" : "setPassword")}
      </Button>
    </form>
  );
}
