// A live view that the device refuses as soon as it is asked: without an answer the service waits 20 seconds for a picture.
import type { ApiResponse } from "../harness.ts";
import { nextLive } from "../live/viewer.ts";
import type { Team } from "./teams/two-teams.ts";

/** @param path of the operation watchPlayer for the device of `team` */
export async function watchRefused({ person, device }: Pick<Team, "person" | "device">, path: string): Promise<ApiResponse> {
  const link = device.socket();
  // What populateTeam() reported, so that the same problems remain.
  link.hello(null, 0, { last_frame_at: null, rendering: false, uptime_ms: 120_000 });
  await link.next("welcome");
  try {
    const watching = person.call("GET", path);
    const { commandId } = await nextLive(device, link);
    const error = { code: "display-off", detail: "There is no picture, because the display is switched off" };
    const [answer] = await Promise.all([watching, device.call("POST", `commands/${commandId}/status`, { status: "failed", error })]);
    return answer;
  } finally {
    link.socket.close();
  }
}
