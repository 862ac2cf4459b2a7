// A person's own account: name and email, password, appearance, and where they are signed in.
import { useState } from "react";
import { Radio, RadioGroup } from "react-aria-components";
import { chooseTheme, chosenTheme, themes } from "../../app/theme.ts";
import { useSession } from "../../data/session.ts";
import { texts } from "../../i18n/texts.ts";
import { Page } from "../../ui/page.tsx";
import { Section } from "../../ui/section.tsx";
import { SessionsTable } from "../team/sessions/sessions-table.tsx";
import { PasskeySection } from "./passkey-section.tsx";
import { IdentitiesSection } from "./identities-section.tsx";
import { LinksSection } from "./links-section.tsx";
import { PasswordSection } from "./password-section.tsx";
import { PersonSection } from "./person-section.tsx";
import "./account.css";

const text = texts("account");
const words = texts("common");
const ofLinks = texts("links");
const ofSessions = texts("sessions");
const names = { system: "themeSystem", light: "themeLight", dark: "themeDark" } as const;

export function AccountPage() {
  const { confined } = useSession();
  if (confined !== null) {
    return (
      <Page title={text("title")}>
        <div className="account stack gap-5">
          <p>{ofLinks("confinedAccount")}</p>
          <Appearance />
        </div>
      </Page>
    );
  }
  return (
    <Page title={text("title")}>
      <div className="account stack gap-5">
        <PersonSection />
        <PasswordSection />
        <PasskeySection />
        <IdentitiesSection />
        <Appearance />
        <Section title={ofSessions("ownTitle")} text={ofSessions("ownIntro")}>
          <SessionsTable label={ofSessions("ownTitle")} isOwn />
        </Section>
        <LinksSection />
      </div>
    </Page>
  );
}

function Appearance() {
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <Section title={text("appearance")} text={text("appearanceText")}>
      <RadioGroup
        aria-label={text("appearance")}
        className="wrap gap-3"
        value={theme}
        onChange={(value) => {
          const selectedTheme = themes.find((each) => each === value)!;
          chooseTheme(selectedTheme);
          setTheme(selectedTheme);
        }}
      >
        {themes.map((each) => (
          <Radio key={each} value={each} className="theme-option row gap-3 outlined surface pointer">
            <span className="theme-sample crop outlined" data-sample={each} aria-hidden="true" />
            {words(names[each])}
          </Radio>
        ))}
      </RadioGroup>
    </Section>
  );
}
