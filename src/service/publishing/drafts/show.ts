// A draft with its changes, as the API returns it.
import type { Draft } from "../../../protocol/operator/publishing.ts";
import type { Db } from "../../store/store.ts";
import type { DraftRow } from "../../store/tables/content.ts";
import { changesOf, showDrafts } from "./drafts.ts";
import { actionOf, showImage } from "../images.ts";
import { isConflicting, liveOf } from "./publish.ts";

export async function showDraft(db: Db, row: DraftRow): Promise<Draft> {
  const [entry] = await showDrafts(db, [row]);
  const changes = await changesOf(db, row.id);
  const published = await liveOf(db, row.team_id, changes);
  const shown = changes.map((change): Draft["changes"][number] => {
    const { kind, resource_id: id, name, base, after, updated_at } = change;
    const show = (image: string | null, at: number) => showImage(kind, row.team_id, id, image, at);
    const is_conflicting = isConflicting(change, published);
    const live = published.get(id);
    return {
      kind,
      id,
      name,
      action: actionOf(base, after),
      before: show(base, updated_at),
      after: show(after, updated_at),
      is_conflicting,
      live: is_conflicting && live !== undefined ? show(live.image, live.updatedAt) : null,
      updated_at: new Date(updated_at).toISOString(),
    };
  });
  return { ...entry!, changes: shown };
}
