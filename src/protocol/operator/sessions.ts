// The API schemas of browser sessions and of the links that sign people in.
import { z } from "zod";
import { Name, Timestamp, id } from "../common.ts";
import { OwnTeam, Role, Scope, Team, User } from "./people.ts";

/** The secret of a link that signs a person in once. */
const LinkSecret = z
  .string()
  .regex(/^sgn_lnk_[0-9A-Za-z]{43}$/, "must be the secret of a sign-in link, sgn_lnk_…")
  .meta({ examples: ["sgn_lnk_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg"] });

/** How a person signs in. */
export const NewSession = z.discriminatedUnion("method", [
  z.strictObject({ method: z.literal("link"), secret: LinkSecret.describe("From the link, behind `#link=`") }),
]);
export type NewSession = z.infer<typeof NewSession>;

/** The person whose session the cookie belongs to, and what they may do in the session's team. */
export const Session = z.object({
  id: id("tok"),
  user: User,
  team: Team,
  role: Role,
  scopes: z.array(Scope),
  teams: z.array(OwnTeam).describe("All teams of the person, for switching"),
  created_at: Timestamp,
  expires_at: Timestamp.describe("When the person must sign in again at the latest"),
});
export type Session = z.infer<typeof Session>;

export const NewSignInLink = z.strictObject({
  user_id: id("usr").optional().describe("A member of the team, who lost their password for example. Default: yourself"),
});
export const SignInLink = z.object({
  name: Name.describe("Whom it signs in"),
  url: z.string().describe("Open it in a browser. It works once"),
  secret: z.string().describe("Shown only once: the service stores only its hash"),
  expires_at: Timestamp,
});
export type SignInLink = z.infer<typeof SignInLink>;
