// The number of screens that show a playlist or a layout, and the content through which they do.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import type { Schemas } from "../../../../sdk/typescript/client.ts";
import { client } from "../../data/client.ts";
import { useMay } from "../../data/session.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Icon } from "../../ui/icon.tsx";

const text = texts("uses");

interface ShownOnProps {
  kind: "playlists" | "layouts";
  id: string;
}

type Uses = Schemas["LayoutUses"] & Partial<Pick<Schemas["PlaylistUses"], "layouts">>;

export function ShownOn({ kind, id }: ShownOnProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { data } = useQuery({
    // Events of screens, schedules and layouts make the keys that begin with `players` old.
    queryKey: ["players", "uses", kind, id],
    queryFn: async ({ signal }): Promise<Uses> => {
      const init = { params: { path: { id } }, signal };
      return kind === "playlists"
        ? (await client.get("/api/v1/playlists/{id}/uses", init)).data
        : (await client.get("/api/v1/layouts/{id}/uses", init)).data;
    },
    // It says little: the page does without it.
    retry: false,
  });
  if (data === undefined) return null;
  return (
    <>
      <Button kind="quiet" size="small" onPress={() => setIsOpen(true)}>
        <Icon name="screens" />
        {text("onScreens", { count: data.player_count })}
      </Button>
      <Dialog
        title={text(kind === "playlists" ? "titlePlaylist" : "titleLayout")}
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        size="small"
        actions={kind === "layouts" ? <PlanLink id={id} /> : null}
      >
        <UsesText kind={kind} uses={data} />
      </Dialog>
    </>
  );
}

function PlanLink({ id }: { id: string }) {
  if (!useMay("schedules:write")) return null;
  return (
    <Link to="/schedules/new" search={{ layout: id }} className="button" data-kind="primary" data-size="medium">
      {text("plan")}
    </Link>
  );
}

function UsesText({
  kind,
  uses: { layouts = [], schedules, default_count: defaults, player_count: count, players },
}: {
  kind: ShownOnProps["kind"];
  uses: Uses;
}) {
  if (layouts.length + schedules.length + count === 0) {
    return <p>{text(kind === "playlists" ? "unusedPlaylist" : "unusedLayout")}</p>;
  }
  return (
    <div className="stack gap-4">
      <Part title={text("layouts")} of={layouts}>
        {({ id, name }) => (
          <Link to="/layouts/$id" params={{ id }} className="pill">
            {name}
          </Link>
        )}
      </Part>
      <Part title={text("schedules")} of={schedules}>
        {({ id, name }) => (
          <Link to="/schedules/$id" params={{ id }} className="pill">
            {name}
          </Link>
        )}
      </Part>
      <Part title={text("screens")} of={players} more={count - players.length}>
        {({ id, name }) => (
          <Link to="/screens/$id" params={{ id }} className="pill">
            {name}
          </Link>
        )}
      </Part>
      {defaults === 0 ? null : <p className="faint">{text("asDefault", { count: defaults })}</p>}
    </div>
  );
}

interface Named {
  id: string;
  name: string;
}

function Part({
  title,
  of,
  more = 0,
  children,
}: {
  title: string;
  of: readonly Named[];
  more?: number;
  children: (each: Named) => ReactNode;
}) {
  if (of.length === 0) return null;
  return (
    <section className="stack gap-2">
      <h3 className="small soft">{title}</h3>
      <ul className="wrap gap-2">
        {of.map((each) => (
          <li className="shrink" key={each.id}>
            {children(each)}
          </li>
        ))}
        {more > 0 ? <li className="faint">{text("more", { count: more })}</li> : null}
      </ul>
    </section>
  );
}
