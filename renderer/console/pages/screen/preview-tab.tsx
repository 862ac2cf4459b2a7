// The screen's picture at any time, drawn by the player's own page.
import { useSearch } from "@tanstack/react-router";
import { PreviewOf } from "../../preview/preview-of.tsx";
import type { PlayerDetails } from "./data.ts";

export function PreviewTab({ player: { id, name } }: { player: PlayerDetails }) {
  const { at } = useSearch({ strict: false });
  return (
    <section className="card">
      <PreviewOf key={id} of={{ playerId: id }} name={name} {...(at === undefined ? {} : { startAt: Date.parse(at) })} />
    </section>
  );
}
