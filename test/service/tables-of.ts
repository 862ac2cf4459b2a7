// The tables of a service's data folder for tests that read or write rows beside the service, in the engine that the tests run on.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { receiveMessageOnPort, MessageChannel, Worker } from "node:worker_threads";
import { createdDatabaseOf, isOnPostgres } from "./test-database.ts";

// What nodes write by themselves, every few seconds.
const ofNodes = "'write_turns', 'nodes', 'leases', 'announcements', 'attempts', 'quota_use', 'live_viewers', 'live_frames'";

type Part = "state" | "telemetry" | "plays";

/**
 * Opens one database of a data folder: the file, or the schema of the folder's PostgreSQL database with the same interface.
 * Statements are those of both engines, with `?` for each value.
 */
export function openTables(folder: string, part: Part = "state"): DatabaseSync {
  const url = createdDatabaseOf(folder);
  if (url === null) return new DatabaseSync(join(folder, `${part}.db`), { timeout: 20_000 });
  return new WaitingPostgres(url, part) as unknown as DatabaseSync;
}

/** Makes every insert into a table fail, as on a full disk, until the result is disposed. */
export function failInserts(file: DatabaseSync, table: string): Disposable {
  if (isOnPostgres) {
    file.exec(`CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'disk full'; END $$;
      CREATE TRIGGER disk_full BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION disk_full()`);
    return { [Symbol.dispose]: () => file.exec("DROP FUNCTION disk_full CASCADE") };
  }
  file.exec(`CREATE TRIGGER disk_full BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'disk full'); END`);
  return { [Symbol.dispose]: () => file.exec("DROP TRIGGER disk_full") };
}

interface Answer {
  rows?: Record<string, unknown>[];
  rowCount?: number;
  error?: string;
}

/** Waits for each query, as node:sqlite does: another thread runs it. */
class WaitingPostgres implements Disposable {
  readonly #worker: Worker;
  readonly #port;
  readonly #answered = new Int32Array(new SharedArrayBuffer(4));

  constructor(url: string, part: Part) {
    // Tests ask SQLite for its tables and their columns by these names. A wait for a row that the service has locked ends with an error.
    const prepare = `SET search_path TO ${part}; SET lock_timeout TO 20000; CREATE TEMPORARY VIEW sqlite_master AS
      SELECT tablename::text AS name, 'table' AS type, '' AS sql FROM pg_tables WHERE schemaname = '${part}' AND tablename NOT IN (${ofNodes});
      CREATE FUNCTION pg_temp.pragma_table_info(text) RETURNS TABLE (name text) LANGUAGE sql AS
      'SELECT column_name::text FROM information_schema.columns WHERE table_schema = ''${part}'' AND table_name = $1 ORDER BY ordinal_position'`;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const program = new URL("../support/programs/postgres-queries.ts", import.meta.url);
    const workerData = { url, prepare, answered: this.#answered, port: port2 };
    this.#worker = new Worker(program, { workerData, transferList: [port2] });
    this.#worker.unref();
    this.#port.unref();
  }

  prepare(text: string) {
    let count = 0;
    // A name such as `:id` stands for a field of the first value.
    const names: string[] = [];
    const named = text.replaceAll(/(?<![:\w]):(\w+)/g, (_, name: string) => `$${names.push(name)}`);
    // Functions of a session are found by their full name only.
    const known = named.replaceAll("pragma_table_info(", "pg_temp.pragma_table_info(");
    const numbered = known.replaceAll("?", () => `$${(count += 1)}`);
    const query = (values: readonly unknown[]) => {
      const [fields] = values as readonly [Record<string, unknown>];
      return this.#query(numbered, names.length === 0 ? values : names.map((name) => fields[name]));
    };
    // PostgreSQL moves a row that is changed, so that rows without an order would come in another one.
    const ordered = (rows: Record<string, unknown>[]) =>
      /\bORDER BY\b/i.test(text) ? rows : rows.toSorted((one, other) => compareText(JSON.stringify(one), JSON.stringify(other)));
    return {
      all: (...values: unknown[]) => ordered(query(values).rows ?? []),
      get: (...values: unknown[]) => query(values).rows?.[0],
      run: (...values: unknown[]) => ({ changes: query(values).rowCount ?? 0 }),
    };
  }

  exec(text: string): void {
    this.#query(text, []);
  }

  close(): void {
    void this.#worker.terminate();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #query(text: string, values: readonly unknown[]): Answer {
    const before = Atomics.load(this.#answered, 0);
    this.#port.postMessage({ text, values });
    // The worker counts an answer before it notifies, so the notification of the last answer may come only during this wait.
    while (Atomics.load(this.#answered, 0) === before) {
      if (Atomics.wait(this.#answered, 0, before, 60_000) === "timed-out") throw new Error(`no answer to ${text} within a minute`);
    }
    const answer: Answer | undefined = receiveMessageOnPort(this.#port)?.message;
    if (answer === undefined) throw new Error(`an answer to ${text} was announced, but is not there`);
    if (answer.error !== undefined) throw new Error(`${answer.error}: ${text}`);
    return answer;
  }
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
