// Viewers may ask for a part of a frame a second, such as 1.5. SQLite has no table of live views.
import { migration } from "./statements.ts";

export const liveFpsMigration = migration([{ sqlite: [], postgres: ["ALTER TABLE live_viewers ALTER COLUMN fps TYPE DOUBLE PRECISION"] }]);
