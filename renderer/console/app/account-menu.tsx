// The menu of the person who is signed in: team, appearance, sign out.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Menu, MenuItem, MenuSection, MenuTrigger, Header, Popover, Button as AriaButton } from "react-aria-components";
import { useNavigate } from "@tanstack/react-router";
import { baseUrl, client } from "../data/client.ts";
import { sessionQuery, type Session } from "../data/session.ts";
import { common } from "../i18n/en/common.ts";
import { texts } from "../i18n/texts.ts";
import { useAct } from "../data/use-act.ts";
import { Icon } from "../ui/icon.tsx";
import { applyTheme, chooseTheme, chosenTheme, themes } from "./theme.ts";

const text = texts(common);
const names = { system: "themeSystem", light: "themeLight", dark: "themeDark" } as const;

applyTheme(chosenTheme());

export function AccountMenu({ session }: { session: Session }) {
  const queries = useQueryClient();
  const [theme, setTheme] = useState(chosenTheme);
  const navigate = useNavigate();
  const switching = useAct({
    run: (team_id: string) => client.post("/api/v1/session/team", { body: { team_id } }),
    changes: [],
    // The page begins anew: nothing of the other team stays in it.
    after: () => location.assign(`${baseUrl}/`),
  });
  const signOut = async (): Promise<void> => {
    await client.delete("/api/v1/session");
    queries.setQueryData(sessionQuery.queryKey, null);
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
  };
  return (
    <MenuTrigger>
      <AriaButton className="account-button">
        <span className="avatar" aria-hidden="true">
          {session.user.name.slice(0, 1).toUpperCase()}
        </span>
        <span className="account-names">
          <strong>{session.user.name}</strong>
          <span>{session.team.name}</span>
        </span>
        <Icon name="chevrons" />
      </AriaButton>
      <Popover className="popover" placement="top start">
        <Menu className="menu" aria-label={text("account")}>
          <MenuSection
            selectionMode="single"
            selectedKeys={[theme]}
            disallowEmptySelection
            onSelectionChange={(keys) => {
              const chosen = themes.find((each) => keys !== "all" && keys.has(each))!;
              chooseTheme(chosen);
              setTheme(chosen);
            }}
          >
            <Header className="menu-header">{text("theme")}</Header>
            {themes.map((each) => (
              <MenuItem key={each} id={each} className="menu-item">
                {text(names[each])}
              </MenuItem>
            ))}
          </MenuSection>
          {session.teams.length < 2 ? null : (
            <MenuSection
              selectionMode="single"
              selectedKeys={[session.team.id]}
              disallowEmptySelection
              onSelectionChange={(keys) => {
                const chosen = session.teams.find(({ id }) => keys !== "all" && keys.has(id));
                if (chosen !== undefined && chosen.id !== session.team.id) switching.mutate(chosen.id);
              }}
            >
              <Header className="menu-header">{text("switchTeam")}</Header>
              {session.teams.map(({ id, name }) => (
                <MenuItem key={id} id={id} className="menu-item" textValue={name}>
                  {name}
                </MenuItem>
              ))}
            </MenuSection>
          )}
          <MenuItem className="menu-item" onAction={() => void navigate({ to: "/account" })}>
            {text("account")}
          </MenuItem>
          <MenuItem className="menu-item" onAction={() => void signOut()}>
            {text("signOut")}
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
