// Moves a session to another of its person's teams. It gets a new secret, and lasts no longer than before.
import type { Clock } from "../../../base/clock.ts";
import type { SessionMethod } from "../../../protocol/operator/sessions.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Db } from "../../store/store.ts";
import type { AuditLog } from "../audit.ts";
import { requireWholePerson, type Operator } from "../operator.ts";
import { endSessions, startSession, type StartedSession } from "./sessions.ts";
import { readSession } from "../store/tokens.ts";

interface MovedSession {
  started: StartedSession;
  /** The ids of the sessions that ended; pass them to {@link TokenExpiry.end}. */
  ended: string[];
}

/**
 * @param teamId null: the first that the person joined.
 * @throws ProblemError 403 for a person who is in no such team, and for a confined session.
 */
export async function moveSession(
  dependencies: { audit: AuditLog; clock: Clock; makeId: MakeId },
  db: Db,
  { operator, address, requestId }: { operator: Operator; address: string; requestId: string },
  teamId: string | null,
): Promise<MovedSession> {
  const { audit, clock } = dependencies;
  const { tokenId, userId } = operator;
  requireWholePerson(operator);
  const before = await readSession(db, tokenId);
  const since = { createdAt: before.created_at, expiresAt: before.expires_at!, provedAt: before.proved_at };
  const about = { method: before.method as SessionMethod, userAgent: before.user_agent, address, since };
  const started = await startSession(dependencies, db, { userId, teamId, ...about });
  const ended = await endSessions(db, [tokenId], Math.trunc(clock.now()));
  const entry = { action: "switchTeam", resourceType: "sessions", resourceId: started.id, before: null, after: null };
  const who = { teamId: started.teamId, userId, tokenId: started.id };
  if (started.teamId !== operator.teamId) await audit.append(db, { ...entry, ...who, address, requestId });
  return { started, ended };
}
