// The wall of screens.
import { useQuery } from "@tanstack/react-query";
import { client } from "../../data/client.ts";
import { screens } from "../../i18n/en/screens.ts";
import { texts } from "../../i18n/texts.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Link } from "@tanstack/react-router";
import { Page } from "../../ui/page.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";

const text = texts(screens);

export function ScreensPage() {
  const { data, error } = useQuery({
    queryKey: ["players", "list"],
    queryFn: async () => (await client.get("/api/v1/players", { params: { query: { limit: 100 } } })).data.data,
  });
  return (
    <Page
      title={text("title")}
      actions={
        <Link to="/pair" className="button" data-kind="primary">
          {text("add")}
        </Link>
      }
    >
      <ProblemMessage error={error} />
      {data?.length === 0 ? <EmptyState icon="screens" title={text("emptyTitle")} text={text("emptyText")} /> : null}
      <ul>
        {data?.map(({ id, name, status }) => (
          <li key={id}>
            {name} <span className="badge">{text(status)}</span>
          </li>
        ))}
      </ul>
    </Page>
  );
}
