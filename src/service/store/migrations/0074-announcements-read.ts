// Up to which number each node has read the announcements: what a living node has not read is kept. Null: its version does not say.
import { migration } from "./statements.ts";

export const announcementsReadMigration = migration([{ sqlite: [], postgres: ["ALTER TABLE nodes ADD COLUMN announcements_read BIGINT"] }]);
