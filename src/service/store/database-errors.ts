// Maps errors of the database to their meaning for the service: one table for PostgreSQL, its connection, and SQLite.
import { Fault, isFault, reasonOf, type FaultCode } from "../../base/fault.ts";

/**
 * - `refused`: this statement is refused, and would be again. Its request is answered with an error; a background loop reports it and
 *   begins again.
 * - `waits`: the database cannot do it now. Its request is answered with 503 and Retry-After; a background loop waits and goes on.
 * - `reconnects`: the same, and the connection is of no more use.
 * - `ends`: the database is not the one that this program knows. A background loop that meets it ends the program: only a start checks
 *   and migrates the tables.
 */
export type Meaning = "refused" | "waits" | "reconnects" | "ends";

/**
 * The classes of PostgreSQL (Appendix A of its manual: https://www.postgresql.org/docs/current/errcodes-appendix.html), by the first two
 * characters of a code. A code that is not in {@link byCode} has the meaning of its class.
 */
const byClass: ReadonlyMap<string, Meaning> = new Map(
  Object.entries({
    // No errors: successful completion, warning, no data. Only a trigger raises them as errors.
    "00": "refused",
    "01": "refused",
    "02": "refused",
    // The statement or its values: incomplete, connection, triggered action, unsupported, transaction initiation, locator, grantor, role,
    // diagnostics, XQuery, case, cardinality, data, integrity.
    "03": "refused",
    "08": "reconnects",
    "09": "refused",
    "0A": "refused",
    "0B": "refused",
    "0F": "refused",
    "0L": "refused",
    "0P": "refused",
    "0Z": "refused",
    "10": "refused",
    "20": "refused",
    "21": "refused",
    "22": "refused",
    "23": "refused",
    // The state of the session: cursor, transaction, statement name, triggered data change.
    "24": "refused",
    "25": "refused",
    "26": "refused",
    "27": "refused",
    // It does not let the service in.
    "28": "reconnects",
    // Dependent privileges, transaction termination, routines, cursor name, savepoint.
    "2B": "refused",
    "2D": "refused",
    "2F": "refused",
    "34": "refused",
    "38": "refused",
    "39": "refused",
    "3B": "refused",
    // There is no such database; no such schema.
    "3D": "reconnects",
    "3F": "ends",
    // Serialization failure, deadlock: the transaction may succeed when it is run again.
    "40": "waits",
    "42": "refused",
    "44": "refused",
    // Disk, memory, connections, a configured limit.
    "53": "waits",
    "54": "refused",
    // In use, locked, not accepting connections.
    "55": "waits",
    // Cancelled, shut down, starting up.
    "57": "waits",
    // Errors outside of PostgreSQL, such as of its disk.
    "58": "waits",
    "72": "waits",
    F0: "waits",
    HV: "refused",
    P0: "refused",
    // Its own errors, and damaged data. Some pass, such as "tuple concurrently updated", and some are only in the session's temporary
    // table.
    XX: "reconnects",
  } satisfies Record<string, Meaning>),
);

interface CodeEntry {
  means: Meaning;
  /** A remedy for operators. */
  remedy?: string;
}

/** Codes that differ from their class, or have a remedy. */
const byCode: ReadonlyMap<string, CodeEntry> = new Map(
  Object.entries({
    // The server is a standby, or was made one: another connection may reach the one that takes writes.
    "25006": { means: "reconnects", remedy: "name the server that takes writes in --database, or end default_transaction_read_only" },
    // The transaction had been silent or open for too long, and its connection was ended.
    "25P03": { means: "reconnects" },
    "25P04": { means: "reconnects" },
    "28000": { means: "reconnects", remedy: "correct the user in --database, or let this user log in (CREATE ROLE, pg_hba.conf)" },
    "28P01": { means: "reconnects", remedy: "correct the user and password in --database" },
    "3D000": { means: "reconnects", remedy: "create it, for example with createdb" },
    // Rights can be given while the service runs.
    "42501": { means: "waits", remedy: "give its user the rights to the schemas state, telemetry and plays and to all that is in them" },
    "42703": { means: "ends" },
    "42P01": { means: "ends" },
    "53100": { means: "waits", remedy: "free space on the disk of PostgreSQL" },
    "53300": { means: "reconnects", remedy: "raise max_connections, or the limit of its user or database" },
    "53400": { means: "waits", remedy: "raise the limit, such as temp_file_limit" },
    "55P02": { means: "refused" },
    "55P04": { means: "refused" },
    "57P01": { means: "reconnects" },
    "57P02": { means: "reconnects" },
    "57P03": { means: "reconnects" },
    "57P04": { means: "reconnects" },
    "57P05": { means: "reconnects" },
    XX001: { means: "reconnects", remedy: "if this comes again, data is damaged: restore a backup" },
    XX002: { means: "reconnects", remedy: "if this comes again, an index is damaged: REINDEX, and check the disk" },
  } satisfies Record<string, CodeEntry>),
);

/** SQLite's primary result codes (https://www.sqlite.org/rescode.html). Any other, such as SQLITE_ERROR and CONSTRAINT, is refused. */
const ofSqlite: ReadonlyMap<number, CodeEntry> = new Map([
  [4 /* ABORT */, { means: "waits" }],
  [5 /* BUSY */, { means: "waits", remedy: "end the program that holds the database open for writing" }],
  [6 /* LOCKED */, { means: "waits" }],
  [7 /* NOMEM */, { means: "waits" }],
  [8 /* READONLY */, { means: "waits", remedy: "let the service write to its data folder" }],
  [9 /* INTERRUPT */, { means: "waits" }],
  [10 /* IOERR */, { means: "waits", remedy: "check the disk of the data folder" }],
  [11 /* CORRUPT */, { means: "refused", remedy: "data is damaged: restore a backup" }],
  [13 /* FULL */, { means: "waits", remedy: "free space on the disk of the data folder" }],
  [14 /* CANTOPEN */, { means: "waits", remedy: "check the data folder, its rights and the limit of open files" }],
  [15 /* PROTOCOL */, { means: "waits" }],
  [17 /* SCHEMA */, { means: "waits" }],
  [26 /* NOTADB */, { means: "refused", remedy: "data is damaged: restore a backup" }],
]);
/** Extended codes that differ from their primary code. */
const ofSqliteExtended: ReadonlyMap<number, CodeEntry> = new Map([
  // READONLY_DBMOVED, IOERR_VNODE: the file was moved or deleted. Later writes to it would be lost.
  [1_032, { means: "ends" }],
  [6_922, { means: "ends" }],
]);

// Of the library `pg`, which gives these no code.
const connectionMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Query read timeout|Client was closed|Received unexpected |The server does not support SSL|There was an error establishing an SSL|SASL: )/;

const faults: Record<Meaning, { code: FaultCode; says: string }> = {
  refused: { code: "store-refused", says: "the database refuses a statement" },
  waits: { code: "store-unavailable", says: "the database cannot do this now" },
  reconnects: { code: "store-unavailable", says: "the database cannot be reached" },
  ends: { code: "store-changed", says: "the database is not the one that this version has opened" },
};

/** The meaning of an error of a query or a connection; null: it is none of the database. */
export function meaningOf(error: unknown): Meaning | null {
  return entryOf(error)?.means ?? null;
}

/** `error`, or the Fault that it means, with it as the cause: `store-refused`, `store-unavailable` or `store-changed`. */
export function databaseFault(error: unknown): unknown {
  const entry = entryOf(error);
  if (entry === null) return error;
  const { code, says } = faults[entry.means];
  const remedy = entry.remedy === undefined ? "" : `: ${entry.remedy}`;
  return new Fault(code, `${says}: ${reasonOf(error)}${remedy}`, { cause: error });
}

/** True if `error`, or the cause of a Fault of the database, has one of these SQLSTATEs of PostgreSQL. */
export function hasSqlState(error: unknown, ...states: readonly string[]): boolean {
  const own = isFault(error) ? error.cause : error;
  return own instanceof Error && "code" in own && states.includes(String(own.code));
}

function entryOf(error: unknown): CodeEntry | null {
  if (!(error instanceof Error) || isFault(error)) return null;
  if ("errcode" in error) return ofSqliteCode(Number(error.errcode));
  const code = "code" in error && typeof error.code === "string" ? error.code : null;
  // Each message of PostgreSQL has a severity; codes of Node may have five letters, too.
  if (code !== null && "severity" in error) return ofPostgresCode(code);
  // Of Node: the server is not there, its name or certificate is not right, or a connection to it has ended.
  if (code !== null && !code.startsWith("ERR_INVALID_")) return { means: "reconnects" };
  if (connectionMessages.test(error.message)) return { means: "reconnects" };
  if (error instanceof AggregateError) return error.errors.map(entryOf).find((entry) => entry !== null) ?? null;
  return null;
}

/** A code of a class that is not known is refused: waiting for it may never end. */
function ofPostgresCode(code: string): CodeEntry {
  return byCode.get(code) ?? { means: byClass.get(code.slice(0, 2)) ?? "refused" };
}

function ofSqliteCode(code: number): CodeEntry {
  return ofSqliteExtended.get(code) ?? ofSqlite.get(code & 0xff) ?? { means: "refused" };
}
