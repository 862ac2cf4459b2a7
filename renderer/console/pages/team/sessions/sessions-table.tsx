// Where people are signed in, with a way to sign them out there.
import type { Schemas } from "../../../../../sdk/typescript/client.ts";
import { client } from "../../../data/client.ts";
import { usePagedList } from "../../../data/paged.ts";
import { useSession } from "../../../data/session.ts";
import { useAct } from "../../../data/use-act.ts";
import { texts } from "../../../i18n/texts.ts";
import { Age } from "../../../ui/age.tsx";
import { Button } from "../../../ui/button.tsx";
import type { Column } from "../../../ui/card-table.tsx";
import { PagedTable } from "../../../ui/paged-table.tsx";
import "../team.css";

const text = texts("sessions");

type Entry = Schemas["SessionEntry"];

const methods = { link: "byLink", password: "byPassword", invitation: "byInvitation", passkey: "byPasskey", sso: "bySso" } as const;
const browserOf = ({ browser }: Entry): string => (browser === "" ? text("unknownBrowser") : browser);

/** @param props.isOwn only the person's own sessions */
export function SessionsTable({ label, isOwn = false }: { label: string; isOwn?: boolean }) {
  const { user, team } = useSession();
  const list = usePagedList(["sessions", team.id], async (cursor) => {
    const query = { limit: 50, ...(cursor === undefined ? {} : { cursor }) };
    return (await client.get("/api/v1/sessions", { params: { query } })).data;
  });
  const ending = useAct({
    run: ({ id }: Entry) => client.delete("/api/v1/sessions/{id}", { params: { path: { id } } }),
    changes: ["sessions", "audit"],
    toast: (_result, entry) => ({ message: text("signedOut", { name: entry.user_name }) }),
  });
  const columns: readonly Column<Entry>[] = [
    {
      name: text("browser"),
      is: "main",
      cell: (entry) => (
        <span className="person-names">
          <span className="cluster gap-2">
            <strong>{browserOf(entry)}</strong>
            {entry.is_current ? (
              <span className="badge" data-kind="accent">
                {text("current")}
              </span>
            ) : null}
          </span>
          <span className="faint mono">{entry.address}</span>
        </span>
      ),
    },
    isOwn
      ? { name: text("team"), is: "text", cell: ({ team_name }) => team_name }
      : { name: text("person"), is: "text", cell: ({ user_name }) => user_name },
    { name: text("lastUsed"), cell: ({ last_used_at }) => <Age time={last_used_at} /> },
    {
      name: text("began"),
      cell: ({ created_at, method, confined }) => (
        <>
          <Age time={created_at} />{" "}
          <span className="faint">{confined === null ? text(methods[method]) : text("byLinkOf", { name: confined.made_by })}</span>
        </>
      ),
    },
    {
      name: text("expires"),
      cell: ({ idle_until, expires_at }) => <Age time={idle_until < expires_at ? idle_until : expires_at} />,
    },
    {
      name: text("actions"),
      isNameHidden: true,
      is: "actions",
      cell: (entry) =>
        entry.is_current ? null : (
          <Button
            size="small"
            aria-label={text("signOutOf", { name: entry.user_name, browser: browserOf(entry) })}
            isPending={ending.isPending && ending.variables.id === entry.id}
            onPress={() => ending.mutate(entry)}
          >
            {text("signOutThere")}
          </Button>
        ),
    },
  ];
  const ownList = isOwn ? { ...list, items: list.items?.filter(({ user_id }) => user_id === user.id) } : list;
  return <PagedTable label={label} list={ownList} columns={columns} keyOf={({ id }) => id} empty={<p>{text("empty")}</p>} />;
}
