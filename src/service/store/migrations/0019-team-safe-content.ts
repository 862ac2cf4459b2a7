// The picture that a team's players show in place of withheld content, unless they have their own.
import { migration } from "./statements.ts";

export const teamSafeContentMigration = migration(["ALTER TABLE teams ADD COLUMN safe_asset_id TEXT"]);
