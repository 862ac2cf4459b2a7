// What the database still holds of a team after its deletion.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { expect, test } from "vitest";
import { rootFolder } from "../../../../src/main/folders.ts";
import { tablesOf } from "../../populate-team.ts";
import { within } from "../../publishing/content.ts";
import { startTwoTeams, waitForAssets, type Team } from "./two-teams.ts";

/** The tables whose rows outlive their team, which docs/retention.md names. */
const reasons: Readonly<Record<string, string>> = {
  alert_groups: "its alerts close after the removal of their screens; 90 days after that",
  alerts: "the engine closes them after the removal of their screens; 90 days after that",
  audit: "it is evidence",
  audit_heads: "the hash chain of the audit log continues",
  command_batches: "90 days after their end",
  commands: "90 days after their end",
  enrolment_keys: "a machine that uses one reads that the team was deleted; revoked, 90 days after that",
  event_journals: "one number per team",
  events: "a day, for subscribers",
  invitations: "withdrawn; 90 days after that",
  mails: "some are about a person and not about the team; 30 days after they were sent or given up",
  players: "the device gets its revocation whenever it connects",
  rollouts: "aborted; 90 days after that",
  sign_in_links: "they end with the membership; 90 days after their expiry",
  tokens: "revoked; 90 days after that",
  upload_links: "who uses one reads that it has ended; a day after its expiry",
  uploads: "only ended ones, without bytes; a day",
};

/** Fills the tables that no request fills at once on a service with one node. */
function writeOtherRows(file: DatabaseSync, { person: { teamId, tokenId } }: Team): void {
  const insert = (table: string, row: Record<string, SQLInputValue>): void => {
    const names = Object.keys(row);
    file.prepare(`INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => "?").join()})`).run(...Object.values(row));
  };
  const now = Date.now();
  const mail = { recipients: "[]", subject: "s", body: "b", html: "h", status: "sent", attempts: 1, updated_at: now };
  insert("mails", { id: "mail_1", team_id: teamId, created_at: now, ...mail });
  insert("alert_groups", { id: "mail_1", team_id: teamId, created_at: now, title: "t", mailed_at: now, closed_at: now });
  const ticket = { subject: "{}", has_captures: 0, files: "[]", feeds: "[]", expires_at: now + 60_000 };
  insert("preview_tickets", { id: "prv_1", secret_hash: "h", team_id: teamId, token_id: tokenId, ...ticket });
  file.prepare("UPDATE uploads SET error = 'It is broken' WHERE team_id = ?").run(teamId);
}

test("[TEA13] a deleted team has no row in any table but those with a reason, and none of another team is deleted", async () => {
  await using teams = await startTwoTeams();
  const { file, own, other } = teams;
  const { person, device } = other;
  await waitForAssets(own, other);
  for (const team of [own, other]) {
    const call = async (method: string, path: string, body: unknown, headers?: Record<string, string>) => {
      const answer = await team.person.call(method, path, body, headers);
      expect([path, answer.status < 300]).toEqual([path, true]);
      return answer.body;
    };
    await call("PATCH", "alert-settings", { recipients: ["screens@example.com"] });
    const override = { type: "override.set", args: { layout_id: team.pool.get("lay") } };
    await call("POST", `players/${team.device.playerId}/commands`, override);
    const draft = await call("POST", "drafts", { name: "Spring" });
    await call("PATCH", `playlists/${team.pool.get("pls")}`, { name: "Spring" }, within(draft));
  }
  writeOtherRows(file, other);
  const tables = tablesOf(file)
    .map(({ table }) => table)
    // Its rows last as long as a transaction.
    .filter((table) => table !== "content_writes")
    .filter((table) => file.prepare(`SELECT name FROM pragma_table_info('${table}') WHERE name = 'team_id'`).get() !== undefined);
  const filled = (teamId: string) => tables.filter((table) => file.prepare(`SELECT 1 FROM ${table} WHERE team_id = ?`).get(teamId));
  expect(filled(person.teamId)).toEqual(tables);
  const ofOwn = filled(own.person.teamId);
  expect((await person.call("DELETE", `players/${device.playerId}`)).status).toBe(204);
  expect((await person.call("DELETE", `teams/${person.teamId}?with_content=true`)).status).toBe(204);
  expect(filled(person.teamId)).toEqual(Object.keys(reasons));
  expect(filled(own.person.teamId)).toEqual(ofOwn);
  const text = await readFile(join(rootFolder, "docs/retention.md"), "utf8");
  const sentence = text.split("\n").find((line) => line.startsWith("Deleting a team")) ?? "";
  expect([...sentence.matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual(Object.keys(reasons));
});
