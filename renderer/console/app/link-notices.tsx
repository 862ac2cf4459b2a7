// Says that the session is for one team only, or that somebody has signed in as the person by a link that another one made.
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Session } from "../data/session.ts";
import { formatDateTime } from "../i18n/format.ts";
import { texts } from "../i18n/texts.ts";
import { Button } from "../ui/button.tsx";

const text = texts("links");

export function LinkNotices({ session }: { session: Session }) {
  const { confined, team, user } = session;
  const [dismissedAt, setDismissedAt] = useState(() => localStorage.getItem(keyOf(user.id)) ?? "");
  if (confined !== null) {
    return (
      <div role="status" className="link-notice cluster gap-2-4 warn warn-ground">
        {text("confined", { name: confined.made_by, team: team.name })}
      </div>
    );
  }
  // A link that was made on the service's machine needs no notice: as a rule, the person asked for it. The account's page lists it too.
  const recentUse = session.used_links.find(({ made_by, used_at }) => made_by !== null && used_at > dismissedAt);
  if (recentUse === undefined) return null;
  const { made_by, team_name, used_at } = recentUse;
  const dismiss = (): void => {
    localStorage.setItem(keyOf(user.id), used_at);
    setDismissedAt(used_at);
  };
  return (
    <div role="status" className="link-notice cluster gap-2-4 warn warn-ground">
      <span>{text("used", { name: made_by!, team: team_name, time: formatDateTime(new Date(used_at)) })}</span>
      <Link to="/account">{text("look")}</Link>
      <Button size="small" onPress={dismiss}>
        {text("dismiss")}
      </Button>
    </div>
  );
}

/** Where this browser keeps until when the person knows of uses. */
function keyOf(userId: string): string {
  return `signage-links-seen ${userId}`;
}
