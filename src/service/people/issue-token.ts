// Creates tokens.
import type { Clock } from "../../base/clock.ts";
import type { CreatedToken, Scope } from "../../protocol/operator/people.ts";
import type { MakeId } from "../store/ids.ts";
import type { Db } from "../store/store.ts";
import type { TokenRow } from "../store/tables/people.ts";
import { showToken } from "./people-resources.ts";
import { generateToken, hashSecret, tokenHint } from "./token-secrets.ts";

export interface TokenDetails {
  teamId: string;
  userId: string;
  name: string;
  scopes: readonly Scope[];
  /** The user who creates it; null: the service. */
  createdBy: string | null;
  /** Epoch ms; null: never. */
  expiresAt: number | null;
}

/** Creates a token. The result is the only place that contains its secret. */
export async function issueToken(
  { makeId, clock }: { makeId: MakeId; clock: Clock },
  db: Db,
  details: TokenDetails,
): Promise<CreatedToken> {
  const secret = generateToken();
  const row: TokenRow = {
    id: makeId("tok"),
    team_id: details.teamId,
    user_id: details.userId,
    name: details.name,
    hash: hashSecret(secret),
    hint: tokenHint(secret),
    scopes: JSON.stringify(details.scopes),
    created_by: details.createdBy,
    created_at: Math.trunc(clock.now()),
    expires_at: details.expiresAt,
    revoked_at: null,
    last_used_at: null,
    is_machine: 0,
  };
  await db.insertInto("tokens").values(row).execute();
  return { ...showToken(row), secret };
}
