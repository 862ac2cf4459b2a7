// What is known about a person once they have shown who they are.
import type { UsedSignInLink } from "../sessions/sign-in-links.ts";

/** Who signs in. */
export interface Person {
  userId: string;
  teamId: string | null;
  /** When they proved who they are, epoch ms; default: just now. */
  provedAt?: number | null;
  /** The link that they opened. */
  link?: UsedSignInLink;
  /** What the audit log gets besides the new session. */
  audited: readonly { action: string; resourceType: string; resourceId: string }[];
}
