// Where the members of the team are signed in.
import { texts } from "../../../i18n/texts.ts";
import { Section } from "../../../ui/section.tsx";
import { SessionsTable } from "./sessions-table.tsx";

const text = texts("sessions");

export function SessionsPage() {
  return (
    <Section title={text("title")} text={text("intro")}>
      <SessionsTable label={text("title")} />
    </Section>
  );
}
