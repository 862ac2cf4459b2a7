// Where the programs of PostgreSQL are: Debian's, the newest first.
import { globSync } from "node:fs";

/** The folder of `initdb` and `postgres`. @throws Error when there are none. */
export async function postgresBinaries(): Promise<string> {
  const folders = globSync("/usr/lib/postgresql/*/bin").toSorted((a, b) => versionIn(b) - versionIn(a));
  if (folders[0] === undefined) throw new Error("There is no PostgreSQL: apt-get install postgresql");
  return folders[0];
}

function versionIn(folder: string): number {
  return Number(/(\d+)\/bin$/.exec(folder)?.[1]);
}
