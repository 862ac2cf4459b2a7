// Goes on in another of the person's teams.
import { baseUrl, client } from "./client.ts";

/** Moves the session to another team, and starts the console anew: nothing that was read, selected or listened to is the new team's. */
export async function switchTeam(teamId: string): Promise<void> {
  await client.post("/api/v1/session/team", { body: { team_id: teamId } });
  location.assign(`${baseUrl}/`);
}
