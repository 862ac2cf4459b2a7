// A set-up file for `npm run test:long -- conflicts`: of the transactions that can conflict with those of another node, every second
// one fails at its commit, with the error that PostgreSQL gives then. The service has to run it again without a trace of the first run.
import pg from "pg";
import { beginWrite, beginWriteAlone } from "../../src/service/store/postgres/write-queue.ts";

type Query = (this: pg.Client, ...parameters: unknown[]) => unknown;

const serializable = new WeakSet<pg.Client>();
let commits = 0;

// A worker loads this file for each of its test files, but `pg` only once. Replacing `query` again would make more than every second
// commit fail.
const isReplaced = Symbol.for("signage-player: commits of pg fail");
const marked = pg.Client as unknown as Record<symbol, boolean>;

if (marked[isReplaced] !== true) {
  marked[isReplaced] = true;
  // oxlint-disable-next-line typescript/unbound-method -- it is called with its client as `this`
  const query = pg.Client.prototype.query as unknown as Query;
  const withConflicts: Query = function (...parameters) {
    const [text] = parameters;
    // A transaction that runs alone cannot conflict. The connection may be marked by an earlier one that was rolled back.
    if (text === beginWrite) serializable.add(this);
    if (text === beginWriteAlone) serializable.delete(this);
    if (text !== "commit" || !serializable.delete(this)) return query.apply(this, parameters);
    commits += 1;
    if (commits % 2 === 0) return query.apply(this, parameters);
    return Promise.resolve(query.call(this, "rollback")).then(() => {
      throw Object.assign(new Error("could not serialize access due to read/write dependencies"), { code: "40001", severity: "ERROR" });
    });
  };
  pg.Client.prototype.query = withConflicts as unknown as typeof pg.Client.prototype.query;
}
