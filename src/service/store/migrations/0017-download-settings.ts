// When and how fast a player downloads its content.
import { migration } from "./statements.ts";

export const downloadSettingsMigration = migration(["ALTER TABLE players ADD COLUMN downloads TEXT"]);
