// The menu of the person who is signed in: team, appearance, keys, sign out.
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { Menu, MenuItem, MenuSection, MenuTrigger, Header, Popover, Separator, Button as AriaButton } from "react-aria-components";
import type { Session } from "../data/session.ts";
import { signOut } from "../data/sign-out.ts";
import { switchTeam } from "../data/switch-team.ts";
import { texts } from "../i18n/texts.ts";
import { tellFailure } from "../ui/toasts.tsx";
import { AccountNames } from "./account-face.tsx";
import { NewTeamDialog } from "./new-team-dialog.tsx";
import { hasPage } from "./places.ts";
import { chooseTheme, chosenTheme, themes } from "./theme.ts";

const text = texts("common");
const names = { system: "themeSystem", light: "themeLight", dark: "themeDark" } as const;

export function AccountMenu({ session, onShortcuts }: { session: Session; onShortcuts: () => void }) {
  const queries = useQueryClient();
  const router = useRouter();
  const [theme, setTheme] = useState(chosenTheme);
  const [isCreating, setIsCreating] = useState(false);
  return (
    <>
      <MenuTrigger onOpenChange={(isOpen) => (isOpen ? setTheme(chosenTheme()) : undefined)}>
        <AriaButton className="account-button">
          <AccountNames session={session} />
        </AriaButton>
        <Popover className="popover" placement="top start">
          <Menu className="menu" aria-label={text("account")}>
            {hasPage(router, "/account") ? (
              <MenuItem className="menu-item" onAction={() => void router.navigate({ to: "/account" })}>
                {text("account")}
              </MenuItem>
            ) : null}
            <MenuItem className="menu-item" onAction={onShortcuts}>
              {text("shortcuts")}
            </MenuItem>
            {session.teams.length > 1 ? <Separator className="menu-separator" /> : null}
            {session.teams.length > 1 ? (
              <MenuSection
                selectionMode="single"
                selectedKeys={[session.team.id]}
                disallowEmptySelection
                onSelectionChange={(keys) => {
                  const selectedTeam = session.teams.find(({ id }) => keys !== "all" && keys.has(id))!;
                  if (selectedTeam.id !== session.team.id) tellFailure(switchTeam({ team_id: selectedTeam.id }));
                }}
              >
                <Header className="menu-header tiny bold faint">{text("switchTeam")}</Header>
                {session.teams.map(({ id, name }) => (
                  <MenuItem key={id} id={id} className="menu-item" textValue={name}>
                    <bdi className="truncate shrink">{name}</bdi>
                  </MenuItem>
                ))}
              </MenuSection>
            ) : null}
            {session.scopes.includes("teams:write") ? (
              <MenuItem className="menu-item" onAction={() => setIsCreating(true)}>
                {text("createTeam")}
              </MenuItem>
            ) : null}
            <Separator className="menu-separator" />
            <MenuSection
              selectionMode="single"
              selectedKeys={[theme]}
              disallowEmptySelection
              onSelectionChange={(keys) => {
                const selectedTheme = themes.find((each) => keys !== "all" && keys.has(each))!;
                chooseTheme(selectedTheme);
                setTheme(selectedTheme);
              }}
            >
              <Header className="menu-header tiny bold faint">{text("theme")}</Header>
              {themes.map((each) => (
                <MenuItem key={each} id={each} className="menu-item">
                  {text(names[each])}
                </MenuItem>
              ))}
            </MenuSection>
            <Separator className="menu-separator" />
            <MenuItem className="menu-item" onAction={() => tellFailure(signOut(queries))}>
              {text("signOut")}
            </MenuItem>
          </Menu>
        </Popover>
      </MenuTrigger>
      {isCreating ? <NewTeamDialog onClose={() => setIsCreating(false)} /> : null}
    </>
  );
}
