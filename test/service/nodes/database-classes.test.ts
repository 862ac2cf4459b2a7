// Each class of PostgreSQL's errors, raised by a real PostgreSQL, in a background loop and in a request.
import { expect, test } from "vitest";
import { isFault } from "../../../src/base/fault.ts";
import type { Loop } from "../../../src/service/nodes/nodes.ts";
import type { Store } from "../../../src/service/store/store.ts";
import { createLog } from "../../support/recording-log.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { waitUntil } from "../../support/polling.ts";
import { TestService } from "../harness.ts";
import { connect, createPlaylist, expectAlive, failWrites, mend, namesOfPlaylists, waits } from "./faulty-database.ts";
import { startNode, testClock } from "./test-nodes.ts";
import { usePostgres } from "./use-postgres.ts";

const postgres = usePostgres();

/** What a statement that fails with a code is answered with; the codes that end the program have a test of their own. */
const answers: readonly (readonly [status: 500 | 503, codes: readonly string[]])[] = [
  [500, ["01000", "02000", "03000", "09000", "0A000", "0B000", "0F000", "0L000", "0P000", "0Z000", "10608", "20000", "21000"]],
  [500, ["22012", "23514", "24000", "25001", "26000", "27000", "2B000", "2D000", "2F000", "34000", "38000", "39000", "3B000"]],
  [500, ["42601", "44000", "54000", "55P02", "HV000", "P0001", "ZZ000"]],
  [503, ["08006", "25006", "25P03", "28000", "3D000", "40001", "40P01", "42501", "53000", "53100", "53200", "53300", "53400"]],
  [503, ["55000", "55006", "55P03", "57000", "57014", "57P01", "57P03", "58000", "58030", "72000", "F0000", "XX000", "XX001", "XX002"]],
];

test("[DBE4] background loops go on after an error of each class, of a duty and of each node", async () => {
  const database = await postgres.createDatabase();
  await using operator = await connect(database);
  await failWrites(operator, "state.meta", "CASE WHEN NEW.key LIKE 'fails-%' THEN right(NEW.key, 5) ELSE '' END");
  const codes = answers.flatMap(([, all]) => all);
  const written = new Set<string>();
  const loops = (prefix: string) =>
    Object.fromEntries(
      codes.map((code) => {
        const loop =
          (store: Store): Loop =>
          async (signal) => {
            for (;;) {
              const row = { key: `fails-${prefix}-${code}`, value: "" };
              await store.write((db) => db.insertInto("meta").values(row).onConflict((each) => each.column("key").doUpdateSet(row)).execute()); // prettier-ignore
              written.add(row.key);
              await testClock.wait(500, signal);
            }
          };
        return [`${prefix}-${code}`, loop];
      }),
    );
  await using node = await startNode(database, { each: loops("each"), duties: loops("duty") });
  const names = codes.flatMap((code) => [`each-${code}`, `duty-${code}`]);
  await waitUntil("each loop has failed", () => names.every((name) => waits(node.lines, name)));
  for (const [status, refused] of answers) {
    const levels = node.lines.filter(({ loop }) => refused.includes(String(loop).slice(-5))).map(({ level }) => level);
    expect(new Set(levels)).toEqual(new Set([status === 500 ? 50 : 40]));
  }
  expect([...written]).toEqual([]);
  await mend(operator);
  await waitUntil("each loop writes", () => written.size === names.length);
  expect(await Promise.race([node.ended, testClock.wait(0)])).toBeUndefined();
});

test("[DBE4] a program whose database lost a table that it needs ends and names it", async () => {
  const database = await postgres.createDatabase();
  await using operator = await connect(database);
  await using node = await startNode(database);
  await operator.query("ALTER TABLE state.nodes RENAME TO others");
  const error = await node.ended;
  expect(isFault(error, "store-changed")).toBe(true);
  expect(String(error)).toContain('relation "state.nodes" does not exist');
});

test("[DBE5] a request that fails by an error of the database is answered with 503 or 500 by its class, and succeeds when it is mended", async () => {
  await using folder = await temporaryFolder();
  const database = await postgres.createDatabase();
  const { log, lines } = createLog();
  await using service = await TestService.start(folder.path, { database, log });
  await using operator = await connect(database);
  await failWrites(operator, "state.playlists", "NEW.name");
  for (const [status, codes] of [...answers, [500, ["3F000", "42703", "42P01"]] as const]) {
    for (const code of codes) {
      const { status: answered, headers, body } = await createPlaylist(service, code);
      expect([code, answered, headers.get("retry-after")]).toEqual([code, status, status === 503 ? "5" : null]);
      expect(body.detail).not.toContain("it fails");
    }
  }
  await mend(operator);
  for (const [, codes] of answers) for (const code of codes) expect((await createPlaylist(service, code)).status).toBe(201);
  expect(await namesOfPlaylists(service)).toEqual(answers.flatMap(([, codes]) => codes).toSorted());
  expectAlive(lines);
});
