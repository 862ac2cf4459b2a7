// Tells from errors of a query that PostgreSQL cannot be reached, or does not let the service in.
import type { Pool } from "pg";
import { Fault, isFault, reasonOf } from "../../../base/fault.ts";

// Of Node: the server is not there, or a connection to it has ended.
const networkCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ENOENT",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
]);
// Of PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html): it is stopping, starting, out of connections or
// disk, or is a standby that takes no writes; the transaction was ended because its node had been silent.
const serverCodes: ReadonlySet<string> = new Set(["57P01", "57P02", "57P03", "57P05", "53100", "53200", "53300", "25006", "25P03"]);
// It does not let the service in; what to do about it.
const refusals: ReadonlyMap<string, string> = new Map([
  ["3D000", "create it, for example with createdb"],
  ["28000", "correct the user in --database, or let this user log in (CREATE ROLE, pg_hba.conf)"],
  ["28P01", "correct the user and password in --database"],
]);
// The library gives these no code.
const messages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout|Client was closed)/;

/** `error`, or a Fault `store-unavailable` with it as the cause if the server is the reason. */
export function outageOf(error: unknown): unknown {
  if (!(error instanceof Error) || isFault(error)) return error;
  const code = "code" in error ? String(error.code) : "";
  const remedy = refusals.get(code);
  if (remedy !== undefined)
    return new Fault("store-unavailable", `the database refuses the service: ${reasonOf(error)}: ${remedy}`, { cause: error });
  const isOutage = networkCodes.has(code) || serverCodes.has(code) || code.startsWith("08") || messages.test(error.message);
  if (!isOutage && !(error instanceof AggregateError && error.errors.some((each) => outageOf(each) !== each))) return error;
  return new Fault("store-unavailable", `the database cannot be reached: ${reasonOf(error)}`, { cause: error });
}

/** Runs one query. @returns its rows @throws Fault `store-unavailable`. */
export async function queryPool<R>(pool: Pool, text: string, values: unknown[]): Promise<R[]> {
  try {
    return (await pool.query(text, values)).rows as R[];
  } catch (error) {
    throw outageOf(error);
  }
}

/** Whether `error` has this SQLSTATE of PostgreSQL. */
export function hasSqlState(error: unknown, ...states: readonly string[]): boolean {
  return error instanceof Error && "code" in error && states.includes(String(error.code));
}
