// Creates databases of earlier versions.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely, SqliteDialect } from "kysely";
import { migrations } from "../../../src/service/store/migrations/index.ts";

/** Creates the database in `folder` with the migrations up to `last`, and runs `statements` on it. */
export async function createOlderData(folder: string, last: string, statements: string): Promise<void> {
  const file = new DatabaseSync(join(folder, "state.db"));
  const dialect = new SqliteDialect({
    database: {
      close: () => file.close(),
      prepare: (text) => {
        const statement = file.prepare(text);
        return {
          reader: statement.columns().length > 0,
          all: (values) => statement.all(...(values as string[])),
          run: (values) => statement.run(...(values as string[])),
          iterate: (values) => statement.iterate(...(values as string[])),
        };
      },
    },
  });
  const db = new Kysely<unknown>({ dialect });
  file.exec("CREATE TABLE kysely_migration (name TEXT NOT NULL PRIMARY KEY, timestamp TEXT NOT NULL)");
  for (const [name, step] of Object.entries(migrations)) {
    if (name > last) continue;
    await step.up(db);
    file.prepare("INSERT INTO kysely_migration VALUES (?, '2026-11-01T00:00:00.000Z')").run(name);
  }
  file.exec(statements);
  await db.destroy();
}
