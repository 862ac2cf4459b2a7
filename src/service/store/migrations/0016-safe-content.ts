// The picture that a player shows in place of withheld content.
import { migration } from "./statements.ts";

export const safeContentMigration = migration(["ALTER TABLE players ADD COLUMN safe_asset_id TEXT"]);
