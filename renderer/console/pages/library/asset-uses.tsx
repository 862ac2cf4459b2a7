// Where a file is used, by name.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Schemas } from "../../../../sdk/typescript/client.ts";
import { client } from "../../data/client.ts";
import { texts } from "../../i18n/texts.ts";
import { ProblemMessage } from "../../ui/problem-message.tsx";

const text = texts("library");

type AssetUses = Schemas["AssetUses"];
type Direct = Pick<AssetUses, "playlists" | "backgrounds" | "safe_content_of" | "is_safe_content_of_team" | "overrides">;

/** Reads where a file is used. It is read again whenever it is shown, since many kinds of events change it. */
function useAssetUses(id: string) {
  return useQuery({
    queryKey: ["assets", "uses", id],
    queryFn: async ({ signal }) => (await client.get("/api/v1/assets/{id}/uses", { params: { path: { id } }, signal })).data,
    staleTime: 0,
  });
}

/** How many places a replacement changes. */
export function placesIn({ playlists, backgrounds, safe_content_of, is_safe_content_of_team }: Omit<Direct, "overrides">): number {
  const items = playlists.reduce((total, { item_ids }) => total + item_ids.length, 0);
  return items + backgrounds.length + safe_content_of.length + (is_safe_content_of_team ? 1 : 0);
}

/** The lines about the direct uses of a file. */
export function DirectUses({ uses }: { uses: Direct }) {
  const lines: [key: string, line: string][] = [
    ...uses.playlists.map(({ id, name, item_ids }): [string, string] => [id, text("usesPlaylist", { name, count: item_ids.length })]),
    ...uses.backgrounds.map(({ id, name }): [string, string] => [id, text("usesBackground", { name })]),
    ...uses.safe_content_of.map(({ id, name }): [string, string] => [`safe ${id}`, text("usesSafePlayer", { name })]),
    ...(uses.is_safe_content_of_team ? [["team", text("usesSafeTeam")] as [string, string]] : []),
    ...uses.overrides.map(({ id, name }): [string, string] => [`override ${id}`, text("usesOverride", { name })]),
  ];
  return <Lines lines={lines} />;
}

export function AssetUsesList({ id }: { id: string }) {
  const { data: uses, error } = useAssetUses(id);
  let content: ReactNode = null;
  if (uses !== undefined) {
    const isUsed = placesIn(uses) > 0 || uses.overrides.length > 0;
    const through: [string, string][] = [
      ...uses.layouts.map(({ id: key, name }): [string, string] => [key, text("usesLayout", { name })]),
      ...uses.schedules.map(({ id: key, name }): [string, string] => [key, text("usesSchedule", { name })]),
    ];
    const names = uses.players.map(({ name }) => name).join(", ");
    content = isUsed ? (
      <>
        <DirectUses uses={uses} />
        {through.length === 0 ? null : (
          <>
            <h4>{text("usesThrough")}</h4>
            <Lines lines={through} />
          </>
        )}
        <p className="faint break-words">
          {text("usesScreens", { count: uses.player_count, names })}{" "}
          {uses.player_count > uses.players.length ? text("usesMore", { count: uses.player_count - uses.players.length }) : null}
        </p>
      </>
    ) : (
      <p className="faint">{text("usesNone")}</p>
    );
  }
  return (
    <section className="asset-uses stack gap-2">
      <h3>{text("usesTitle")}</h3>
      <ProblemMessage error={error} />
      {content}
    </section>
  );
}

function Lines({ lines }: { lines: readonly [key: string, line: string][] }) {
  return (
    <ul className="stack gap-1">
      {lines.map(([key, line]) => (
        <li className="break-words" key={key}>
          {line}
        </li>
      ))}
    </ul>
  );
}
