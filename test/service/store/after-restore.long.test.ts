// Databases that were restored to an earlier state, and the commands that are for data folders only.
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { startPostgres, type TestPostgres } from "../../support/postgres.ts";
import { Program } from "../../support/programs/programs.ts";
import { EventSubscriber } from "../events/event-subscriber.ts";
import { TestService } from "../harness.ts";

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres[Symbol.asyncDispose]());

/** Runs a program to its end. @returns its output and its exit code */
async function run(...flags: string[]): Promise<[code: number | null, output: string]> {
  await using program = new Program(["src/main/cli.ts", ...flags]);
  const code = await program.exitCode;
  return [code, program.output];
}

test("[NDL12] players and subscribers of a restored PostgreSQL database do not resume from forgotten messages, and its nodes start on another server", async () => {
  await using folder = await temporaryFolder();
  const database = await postgres.createDatabase();
  const start = (url: string) => TestService.start(folder.path, { database: url });
  await using stack = new AsyncDisposableStack();
  const first = stack.use(await start(database));
  const device = await first.pairDevice();
  await first[Symbol.asyncDispose]();
  const restored = await postgres.createDatabase(false, `TEMPLATE ${database.split("/").at(-1)}`);
  // What happens after the backup.
  const later = stack.use(await start(database));
  Object.assign(device, { url: later.service.url });
  const socket = device.socket();
  socket.hello();
  const { epoch } = (await socket.next("welcome")).data;
  using listener = new EventSubscriber(later.service.url, later.token);
  const place = await listener.subscribe(["commands"]);
  await later.call("POST", `players/${device.playerId}/commands`, { type: "identify" });
  const { seq } = await socket.next("command");
  socket.socket.terminate();
  await later[Symbol.asyncDispose]();
  // The backup is from a server with higher numbers of transactions, and a node still uses the restored database.
  await query(restored, "INSERT INTO state.meta VALUES ('announcements-trimmed', '900000000')");
  await query(restored, "INSERT INTO state.nodes VALUES ('nod_x', 'elsewhere', 0, 9e15)");
  const renew = () => run("migrate", "--database", restored, "--after-restore");
  expect(await renew()).toEqual([1, expect.stringContaining("(on elsewhere): stop them")]);
  await query(restored, "UPDATE state.nodes SET lease_until = 0");
  expect(await renew()).toEqual([0, expect.stringContaining("new epoch")]);
  const back = stack.use(await start(restored));
  // As many messages as the player knows.
  for (let number = 0; number < 3; number += 1) await back.call("POST", `players/${device.playerId}/commands`, { type: "reload" });
  Object.assign(device, { url: back.service.url });
  device.access = (await device.renew()).body;
  const link = device.socket();
  link.hello(epoch, seq!);
  const welcome = await link.next("welcome");
  expect(welcome.data).toMatchObject({ resumed: false });
  expect(welcome.data.answer.commands).toHaveLength(3);
  using again = new EventSubscriber(back.service.url, back.token);
  expect((await again.subscribe(["commands"], { after: { epoch: place.epoch, seq: place.seq } })).epoch).not.toBe(place.epoch);
  link.socket.terminate();
});

test("[NDL13] the commands for data folders refuse a PostgreSQL database, and name its tools", async () => {
  for (const [command, file] of Object.entries({ backup: "to", restore: "from", "backup-key": "to", "restore-key": "from" })) {
    const [code, output] = await run(command, `--${file}`, "/nowhere/x", "--database", "postgres://127.0.0.1/x");
    expect([command, code, output]).toEqual([command, 2, expect.stringMatching(/pg_dump or pgBackRest.*docs\/scaling-backup\.md/)]);
  }
});

async function query(database: string, text: string): Promise<void> {
  const client = new pg.Client(database);
  await client.connect();
  await client.query(text);
  await client.end();
}
