// What an operator or another program does to the database of a service in tests, and how its clients and its log see it.
import pg from "pg";
import { expect } from "vitest";
import { eventually } from "../../support/polling.ts";
import type { ApiResponse, TestService } from "../harness.ts";

/** A connection of an operator. */
export async function connect(url: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client(url);
  client.on("error", () => undefined); // its server may end
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** Makes writes of rows fail with the code that `code`, an expression of the new row, gives; an empty one lets them pass. */
export async function failWrites(client: pg.Client, table: string, code: string): Promise<void> {
  await client.query(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF (${code}) <> '' THEN RAISE EXCEPTION 'it fails' USING ERRCODE = (${code}); END IF;
      RETURN NEW;
    END $$`);
  await client.query(`CREATE TRIGGER fails BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION fail()`);
}

/** Ends what {@link failWrites} does. */
export const mend = (client: pg.Client) => client.query("DROP FUNCTION fail CASCADE");

/** Repeats a request as its client does, until it succeeds. @returns all answers */
export async function persist(request: () => Promise<ApiResponse>): Promise<ApiResponse[]> {
  const all: ApiResponse[] = [];
  return eventually(async () => {
    const answer = await request();
    all.push(answer);
    if (answer.status !== 503) return all;
    expect(answer.headers.get("retry-after")).toBe("5");
    return null;
  });
}

/** A playlist through one node, with the key by which its client repeats it. */
export function createPlaylist(node: TestService, name: string): Promise<ApiResponse> {
  return node.call("POST", "playlists", { name, items: [] }, { "idempotency-key": `key-${name}` });
}

export async function namesOfPlaylists(node: TestService): Promise<string[]> {
  const { body } = await node.call("GET", "playlists?limit=100");
  return (body.data as { name: string }[]).map(({ name }) => name).toSorted();
}

/** Ends the connections of the service, as a restart or a failover does. */
export async function endConnections(client: pg.Client): Promise<void> {
  const others = "datname = current_database() AND application_name = 'signage-service'";
  await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${others}`);
}

/** Checks that no background loop has ended its service. */
export function expectAlive(...logs: { msg: string }[][]): void {
  expect(logs.flat().filter(({ msg }) => msg === "background loop failed")).toEqual([]);
}

/** Whether a loop has reported an error of the database, since a line. */
export const waits = (lines: { msg: string; loop?: unknown }[], loop: string, since = 0) =>
  lines.slice(since).some((line) => line.loop === loop && line.msg.startsWith("a background loop "));
