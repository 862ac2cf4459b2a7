// The frame of the team's pages: its name, the person's other teams, and the parts.
import { Outlet } from "@tanstack/react-router";
import { useState } from "react";
import { client } from "../../data/client.ts";
import { useMay, useSession, type Session } from "../../data/session.ts";
import { useAct } from "../../data/use-act.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { MenuButton } from "../../ui/menu-button.tsx";
import { NameDialog } from "../../ui/name-dialog.tsx";
import { Page } from "../../ui/page.tsx";
import { PageTabs, type PageTab } from "../../ui/page-tabs.tsx";
import { DeleteTeamDialog } from "./delete-team-dialog.tsx";
import "./team.css";

const text = texts("team");
const words = texts("common");

type Tab = PageTab & { scopes: Session["scopes"] };
const tabs: readonly Tab[] = [
  { to: "/team/members", name: text("members"), scopes: ["teams:read"] },
  { to: "/team/tokens", name: text("tokens"), scopes: ["tokens:read"] },
  // Other people's sessions are seen by owners only; everybody's own are in their account.
  { to: "/team/sessions", name: text("sessions"), scopes: ["audit:read", "tokens:read"] },
  { to: "/team/webhooks", name: text("webhooks"), scopes: ["webhooks:read"] },
  { to: "/team/alerts", name: text("alerts"), scopes: ["players:read"] },
  { to: "/team/audit", name: text("audit"), scopes: ["audit:read"] },
];

export function TeamPage() {
  const { team, scopes } = useSession();
  const mayChange = useMay("teams:write");
  const [isRenaming, setIsRenaming] = useState(false);
  const [isDeleting, setIsDeleting] = useState(false);
  const renaming = useAct({
    run: (name: string) => client.patch("/api/v1/teams/{id}", { params: { path: { id: team.id } }, body: { name } }),
    changes: ["session", "audit"],
    toast: (_result, name) => ({ message: text("renamed", { name }) }),
    after: () => setIsRenaming(false),
    showsErrors: true,
  });
  const actions = mayChange ? (
    <>
      <Button onPress={() => setIsRenaming(true)}>{text("rename")}</Button>
      <MenuButton label={text("moreForTeam")} actions={[{ name: text("deleteTeam"), kind: "danger", run: () => setIsDeleting(true) }]} />
    </>
  ) : undefined;
  return (
    <Page title={team.name} actions={actions}>
      <PageTabs label={text("parts")} tabs={tabs.filter((tab) => tab.scopes.every((scope) => scopes.includes(scope)))} />
      <Outlet />
      <NameDialog
        title={text("renameTitle")}
        label={text("teamName")}
        name={team.name}
        action={words("save")}
        isOpen={isRenaming}
        onClose={() => setIsRenaming(false)}
        act={renaming}
      />
      {isDeleting ? <DeleteTeamDialog onClose={() => setIsDeleting(false)} /> : null}
    </Page>
  );
}
