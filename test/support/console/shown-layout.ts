// A layout that shows something: on the whole of it a text, which is its name.
import type { TestService } from "../../service/harness.ts";

/** Returns its id. */
export async function shownLayout(service: TestService, name: string): Promise<string> {
  const { body: playlist } = await service.call("POST", "playlists", { name, items: [{ type: "text", text: name }] });
  const zones = [{ name: "Main", left: 0, top: 0, width: 100, height: 100, playlist_id: playlist.id }];
  const { status, body } = await service.call("POST", "layouts", { name, width: 100, height: 100, zones });
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.id as string;
}
