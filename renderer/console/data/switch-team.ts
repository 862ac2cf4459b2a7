// Goes on in another of the person's teams.
import { baseUrl, client } from "./client.ts";
import { setActiveDraft } from "./drafts/place.ts";

/** Moves the session to another team, or to a new one with this name, and starts the console anew: nothing that was read, selected or listened to is the new team's. */
export async function switchTeam(team: { team_id: string } | { name: string }): Promise<void> {
  await client.post("/api/v1/session/team", { body: team });
  setActiveDraft(null);
  location.assign(`${baseUrl}/`);
}
