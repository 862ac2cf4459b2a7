// Plants operations in a copy of the tree and runs the linter on them: none may hold SQL.
import { expect, test } from "vitest";
import { lintPlanted } from "./support/lint.ts";

const refused = [
  `import { sql } from "kysely";`,
  `import type { SelectQueryBuilder } from "kysely";`,
  `db.selectFrom("teams");`,
  `store.db.insertInto("teams");`,
  `db.updateTable("teams");`,
  `db.deleteFrom("teams");`,
  `selectTeams(db).where("id", "=", id);`,
  `selectTeams(db).execute();`,
  `selectTeams(db).executeTakeFirst();`,
];
const accepted = [`await readTeam(db, id);`, `pageOf(selectTeams(db), query, show);`];

test("[LNT3] the linter refuses SQL in an operation of the service, and accepts it in a store", async () => {
  const lines = [...refused, ...accepted];
  const places = ["src/service/people/operations/N.ts", "src/service/live/N/operations.ts", "src/service/people/store/N.ts"];
  const files = places.flatMap((place) => lines.map((line, index) => [place.replace("N", String(index)), line] as const));
  const complaints = (await lintPlanted(new Map(files))).filter(({ code }) => code === "signage-service(operation-sql)");
  const found = new Set(complaints.map(({ filename }) => filename));
  for (const place of places) {
    const inPlace = lines.filter((_, index) => found.has(place.replace("N", String(index))));
    expect(inPlace, place).toEqual(place.includes("operations") ? refused : []);
  }
});
