// PostgreSQL for the cluster: a database folder of its own on the disk, with fsync.
import { execFile } from "node:child_process";
import { appendFile, chown, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { Engine } from "./engine.ts";

const run = promisify(execFile);
const user = "signage";
const database = "postgres";
// PostgreSQL refuses to run as root.
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

/** A running PostgreSQL. */
export interface PostgresServer {
  engine: Engine;
  port: number;
  /** Of the database. @param host as a client sees it. */
  url: (host?: string) => string;
}

/**
 * Creates a database folder in `folder` and starts PostgreSQL.
 * @param binaries the folder of `initdb` and `postgres`. @param addresses that it listens on, with commas between them.
 */
export async function startPostgres(
  folder: string,
  logs: string,
  port: number,
  binaries: string,
  addresses = "127.0.0.1",
): Promise<PostgresServer> {
  const data = join(folder, "postgres");
  await mkdir(data);
  if (isRoot) await chown(data, nobody, nobody);
  const initdb = [join(binaries, "initdb"), "-D", data, "-U", user, "-A", "trust", "-E", "UTF8", "--locale=C"];
  const asNobody = isRoot ? ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"] : [];
  const [program, ...argv] = [...asNobody, ...initdb];
  await run(program!, argv, { cwd: "/" });
  await allowAddresses(data);
  const settings = {
    port,
    listen_addresses: addresses,
    unix_socket_directories: "",
    fsync: "on",
    max_connections: 200,
    // A connection whose client is gone without a word holds its locks until PostgreSQL notices.
    tcp_keepalives_idle: 5,
    tcp_keepalives_interval: 2,
    tcp_keepalives_count: 3,
    tcp_user_timeout: 10_000,
    log_min_messages: "warning",
    log_line_prefix: "%m [%p] ",
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const url = (host = "127.0.0.1"): string => `postgres://${user}@${host}:${port}/${database}`;
  const engine = new Engine(
    {
      name: "postgres",
      command: [join(binaries, "postgres"), "-D", data, ...flags],
      cwd: "/",
      // Fast shutdown: it ends the sessions and writes a checkpoint.
      stopSignal: "SIGINT",
      isReady: () => answers(url()),
      ...(isRoot ? { uid: nobody } : {}),
    },
    logs,
  );
  await engine.start();
  return { engine, port, url };
}

/** Lets the addresses of the network namespaces in, without a password. */
async function allowAddresses(data: string): Promise<void> {
  await appendFile(join(data, "pg_hba.conf"), "host all all 10.0.0.0/8 trust\n");
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 1_000 });
  // The server may end the connection while it starts; `connect` or `query` rejects then.
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("SELECT 1");
    return true;
  } catch {
    return false; // it does not accept connections yet
  } finally {
    await client.end().catch(() => undefined); // it was never connected
  }
}
