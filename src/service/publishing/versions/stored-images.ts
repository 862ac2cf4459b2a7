// The images of content that versions refer to by their hashes.
import { inChunks } from "../../store/chunks.ts";
import type { Db } from "../../store/store.ts";
import type { Image } from "../images.ts";

/** The images with these hashes. */
export async function readImages(db: Db, teamId: string, hashes: readonly (string | null)[]): Promise<ReadonlyMap<string, string>> {
  const images = new Map<string, string>();
  for (const chunk of inChunks([...new Set(hashes.filter((hash) => hash !== null))])) {
    const rows = await db
      .selectFrom("content_images")
      .select(["hash", "body"])
      .where("team_id", "=", teamId)
      .where("hash", "in", chunk)
      .execute();
    for (const { hash, body } of rows) images.set(hash, body);
  }
  return images;
}

/** The image with this hash; null stands for nothing. */
export function imageBy(images: ReadonlyMap<string, string>, hash: string | null): Image {
  if (hash === null) return null;
  const image = images.get(hash);
  if (image === undefined) throw new TypeError(`there is no image ${hash}`);
  return image;
}
