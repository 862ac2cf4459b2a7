// The last reported problems of each player, so that a restart does not report them again.
import { migration } from "./statements.ts";

export const problemsMigration = migration(["ALTER TABLE player_links ADD COLUMN problems TEXT NOT NULL DEFAULT ''"]);
