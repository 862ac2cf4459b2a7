// A fresh proof: before dangerous acts, a person who is signed in must have proved within 15 minutes who they are.
import { minuteMs } from "../../../base/time.ts";
import { ProblemError } from "../../http/problem.ts";
import { requireWholePerson, type Operator } from "../operator.ts";

/** How long a proof is fresh. */
export const proofMs = 15 * minuteMs;

/**
 * @throws ProblemError 403 if the operator is a person whose proof is too old, or who signed in by a team's link, which proves to
 * nobody else who they are. Access tokens prove nothing.
 */
export function requireProof(operator: Operator, now: number): void {
  requireWholePerson(operator);
  const { provedAt } = operator;
  if (provedAt === null || provedAt > now - proofMs) return;
  throw new ProblemError(
    "proof-required",
    "This may change who has access. Prove who you are with your password or a passkey (POST /session/proof), or sign in again",
  );
}
