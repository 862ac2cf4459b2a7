// The names of the person and the team, as they stand at the foot of the navigation.
import type { Session } from "../data/session.ts";
import { Icon } from "../ui/icon.tsx";

/** The names on the button of the account menu. */
export function AccountNames({ session }: { session: Session }) {
  return (
    <>
      <span className="avatar center rigid tint accent" aria-hidden="true">
        {String.fromCodePoint(session.user.name.codePointAt(0)!).toUpperCase()}
      </span>
      <span className="account-names stack shrink">
        <strong className="truncate">
          <bdi>{session.user.name}</bdi>
        </strong>
        <span className="truncate small faint">
          <bdi>{session.team.name}</bdi>
        </span>
      </span>
      <Icon name="chevrons" />
    </>
  );
}

/** The same in the place of the button until its menu is loaded. */
export function AccountFace({ session }: { session: Session }) {
  return (
    <div className="account-button">
      <AccountNames session={session} />
    </div>
  );
}
