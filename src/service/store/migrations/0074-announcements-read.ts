// The last announcement that each node has read: those that a living node has not read are kept. Null: its version does not say.
import { migration } from "./statements.ts";

export const announcementsReadMigration = migration([{ sqlite: [], postgres: ["ALTER TABLE nodes ADD COLUMN announcements_read BIGINT"] }]);
