// The menu of the person who is signed in: team, appearance, sign out.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Menu, MenuItem, MenuSection, MenuTrigger, Header, Popover, Button as AriaButton } from "react-aria-components";
import { client } from "../data/client.ts";
import { sessionQuery, type Session } from "../data/session.ts";
import { common } from "../i18n/en/common.ts";
import { texts } from "../i18n/texts.ts";
import { Icon } from "../ui/icon.tsx";
import { applyTheme, chooseTheme, chosenTheme, themes } from "./theme.ts";

const text = texts(common);
const names = { system: "themeSystem", light: "themeLight", dark: "themeDark" } as const;

applyTheme(chosenTheme());

export function AccountMenu({ session }: { session: Session }) {
  const queries = useQueryClient();
  const [theme, setTheme] = useState(chosenTheme);
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
          <MenuItem className="menu-item" onAction={() => void signOut()}>
            {text("signOut")}
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
