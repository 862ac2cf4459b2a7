// PostgreSQL for the tests of a file: databases in the one server of this process, dropped after the file's tests.
import { afterAll } from "vitest";
import type { TestPostgres } from "../../support/postgres.ts";
import { sharedPostgres } from "../test-database.ts";

export type Databases = Pick<TestPostgres, "createDatabase">;

/** To be called where the tests are defined. */
export function usePostgres(): Databases {
  const created: string[] = [];
  afterAll(async () => {
    const server = await sharedPostgres();
    for (const url of created) await server.dropDatabase(url);
  });
  return {
    createDatabase: async (...options) => {
      const url = await (await sharedPostgres()).createDatabase(...options);
      created.push(url);
      return url;
    },
  };
}
