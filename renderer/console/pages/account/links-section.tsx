// The links that signed somebody in as the person: who made them, and when they were used.
import { useSession, type Session } from "../../data/session.ts";
import { texts } from "../../i18n/texts.ts";
import { Age } from "../../ui/age.tsx";
import { CardTable, type Column } from "../../ui/card-table.tsx";
import { Section } from "../../ui/section.tsx";

const text = texts("links");

type UsedLink = Session["used_links"][number];

const columns: readonly Column<UsedLink>[] = [
  { name: text("madeBy"), is: "main", cell: ({ made_by }) => made_by ?? text("machine") },
  { name: text("team"), is: "text", cell: ({ team_name }) => team_name },
  { name: text("when"), cell: ({ used_at }) => <Age time={used_at} /> },
];

/** Nothing for a person who was never signed in by a link. */
export function LinksSection() {
  const { used_links: items } = useSession();
  if (items.length === 0) return null;
  return (
    <Section title={text("title")} text={text("text")}>
      <CardTable label={text("title")} columns={columns} items={items} keyOf={({ id }) => id} />
    </Section>
  );
}
