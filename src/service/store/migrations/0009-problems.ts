// The problems of players that were told last, so that a restart does not tell them again.
import { migration } from "./statements.ts";

export const problemsMigration = migration(["ALTER TABLE player_links ADD COLUMN problems TEXT NOT NULL DEFAULT ''"]);
