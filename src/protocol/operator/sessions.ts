// The API schemas of signing in: sessions of browsers, passwords, and the links that sign people in.
import { z } from "zod";
import { Name, Timestamp, id } from "../common.ts";
import { PasskeyAssertion } from "./passkeys.ts";
import { Email, OwnTeam, Role, Scope, Team, User } from "./people.ts";

/** The secret of a link that signs a person in once. */
const LinkSecret = z
  .string()
  .regex(/^sgn_lnk_[0-9A-Za-z]{43}$/, "must be the secret of a sign-in link, sgn_lnk_…")
  .meta({ examples: ["sgn_lnk_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg"] });

/** The secret of an invitation. */
const InvitationSecret = z
  .string()
  .regex(/^sgn_inv_[0-9A-Za-z]{43}$/, "must be the secret of an invitation, sgn_inv_…")
  .meta({ examples: ["sgn_inv_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg"] });

export const shortestPassword = 12;
const longestPassword = 256;
const GivenPassword = z.string().min(1).max(longestPassword);
const NewPassword = z
  .string()
  .max(longestPassword)
  .describe(
    `At least ${shortestPassword} characters, of any kind. Refused are passwords that many people use and those made of your own name or email`,
  );

/** A way to sign in without a link. */
export const SignInMethod = z.enum(["password", "passkey", "sso"]).meta({ id: "SignInMethod" });
export type SignInMethod = z.infer<typeof SignInMethod>;

/** The ways of signing in that the page offers. */
export const SignInOptions = z
  .object({
    methods: z.array(SignInMethod).describe("The ways to sign in that this service offers, besides links"),
    sso_name: z.string().nullable().describe("The name of the provider of single sign-on; null: there is none"),
    passkey_host: z
      .string()
      .nullable()
      .describe(
        "The host name that passkeys belong to: pages of the console at another one cannot use them. Null: there are none, since browsers want https and a host name for them (or localhost)",
      ),
    can_mail: z
      .boolean()
      .describe(
        "Whether the service mails invitations to people, and codes by which they prove their emails (--smtp-host and --public-url)",
      ),
    is_first_run: z.boolean().describe("Whether nobody has set a password or added a passkey yet: only a link signs in"),
  })
  .meta({ id: "SignInOptions" });
export type SignInOptions = z.infer<typeof SignInOptions>;

/** The answer of the provider of single sign-on. */
const SsoResponse = z
  .string()
  .min(1)
  .max(8_192)
  .describe("The query of the address that the provider led back to, without `?`")
  .meta({ examples: ["code=abc&state=sign-in.def&iss=https%3A%2F%2Flogin.example.com"] });

/** The purpose of a single sign-on. */
export const NewSso = z
  .strictObject({
    purpose: z
      .enum(["sign-in", "proof", "link"])
      .default("sign-in")
      .describe(
        "`proof`: the person signs in at the provider again, before a dangerous act. `link`: the account there is linked to the person who is signed in here",
      ),
    invitation: InvitationSecret.optional().describe(
      "Accepts this invitation by signing in. Its email must be the one that the provider has verified",
    ),
  })
  .meta({ id: "NewSso" });
export const StartedSso = z
  .object({
    url: z.url().describe("Where the person signs in. The provider leads back to `/sign-in/sso` of this service within 10 minutes"),
  })
  .meta({ id: "StartedSso" });

/** An account at the provider of single sign-on that signs a person in. */
export const Identity = z
  .object({
    id: id("idn"),
    issuer: z.string().describe("The provider"),
    email: z.string().nullable().describe("The email that the provider said last"),
    created_at: Timestamp.describe("When it was linked"),
    last_used_at: Timestamp,
  })
  .meta({ id: "Identity" });
export type Identity = z.infer<typeof Identity>;
export const NewIdentity = z.strictObject({ sso_response: SsoResponse }).meta({ id: "NewIdentity" });
export const IdentityList = z.object({ data: z.array(Identity) }).meta({ id: "IdentityList" });

/** How a person signs in. */
export const NewSession = z
  .discriminatedUnion("method", [
    z.strictObject({ method: z.literal("link"), secret: LinkSecret.describe("From the link, behind `#link=`") }),
    z.strictObject({ method: z.literal("password"), email: Email, password: GivenPassword }),
    z.strictObject({ method: z.literal("sso"), response: SsoResponse }),
    z.strictObject({ method: z.literal("passkey"), passkey: PasskeyAssertion.describe("With the challenge of `POST /session/passkey`") }),
    z.strictObject({
      method: z.literal("invitation"),
      secret: InvitationSecret.describe("From the invitation's link, behind `#invitation=`"),
      name: Name.optional().describe("Replaces the name in the invitation"),
      password: NewPassword.describe(
        "The person's new password, or the one with which they sign in by the invitation's email already. If that email is proven, its person's password is needed",
      ),
    }),
  ])
  .meta({ id: "NewSession" });
export type NewSession = z.infer<typeof NewSession>;

const SessionMethod = z.enum(["link", "password", "invitation", "passkey", "sso"]).describe("How the person signed in");
export type SessionMethod = z.infer<typeof SessionMethod>;
const idleUntil = Timestamp.describe("When the session ends if it is not used until then");
const expiresAt = Timestamp.describe("When the person must sign in again at the latest");

const Confinement = z
  .object({ made_by: Name })
  .nullable()
  .describe(
    "Set if a member of the team (`made_by`) made the link that began the session: it is for that team only, and changes neither the person's account nor who has access",
  );

/** A link that signed somebody in as the person. */
const UsedLink = z.object({
  id: id("lnk"),
  team_name: Name.describe("The team in which its session began"),
  made_by: Name.nullable().describe("Who made it, for this team only; null: it was made on the service's machine, for the whole person"),
  used_at: Timestamp,
});

/** The person whose session the cookie belongs to, and their scopes in the session's team. */
export const Session = z
  .object({
    id: id("tok"),
    user: User,
    team: Team,
    role: Role,
    scopes: z.array(Scope),
    teams: z.array(OwnTeam).describe("All teams of the person, for switching; of a confined session only its own"),
    method: SessionMethod,
    confined: Confinement,
    used_links: z
      .array(UsedLink)
      .describe("The last ten links that signed somebody in as the person, newest first; none in a confined session"),
    has_password: z.boolean().describe("Whether the person has set a password"),
    has_passkey: z.boolean().describe("Whether the person has added a passkey, for this host or another one"),
    created_at: Timestamp,
    proved_at: Timestamp.describe("When the person last proved who they are. Dangerous acts need a proof of the last 15 minutes"),
    idle_until: idleUntil,
    expires_at: expiresAt,
  })
  .meta({ id: "Session" });
export type Session = z.infer<typeof Session>;

/** A session in the list of sessions. */
export const SessionEntry = z
  .object({
    id: id("tok"),
    user_id: id("usr"),
    user_name: Name,
    created_at: Timestamp,
    last_used_at: Timestamp.describe("Accurate to the minute"),
    expires_at: expiresAt,
    idle_until: idleUntil,
    address: z.string().describe("The IP address from which the person signed in"),
    browser: z.string().describe("The browser and its system, such as `Firefox on Windows`; empty: unknown"),
    method: SessionMethod,
    team_name: Name.describe("The team that the session is in"),
    confined: Confinement,
    is_current: z.boolean().describe("Whether it is the session that this request belongs to"),
  })
  .meta({ id: "SessionEntry" });
export type SessionEntry = z.infer<typeof SessionEntry>;

export const SessionProof = z
  .union([
    z.strictObject({ password: GivenPassword }),
    z.strictObject({ passkey: PasskeyAssertion.describe("With the challenge of `POST /session/proof/passkey`") }),
    z.strictObject({ sso_response: SsoResponse }),
  ])
  .meta({ id: "SessionProof" });
export const SessionTeam = z
  .strictObject({
    team_id: id("team").optional().describe("One of the session's `teams`. Exactly one of team_id and name is required"),
    name: Name.optional().describe("The name of a new team"),
  })
  .refine(({ team_id, name }) => (team_id === undefined) !== (name === undefined), "needs either team_id or name")
  .meta({ id: "SessionTeam" });
export const PasswordChange = z
  .strictObject({
    password: NewPassword,
    current_password: GivenPassword.optional().describe(
      "Needed if you have a password, unless you signed in with a link within the last 15 minutes because you lost it",
    ),
  })
  .meta({ id: "PasswordChange" });

/** A code that proves an email, as a person types it. */
export const EmailCode = z
  .strictObject({ code: z.string().min(1).max(20).describe("From the mail, such as `BCDF-GHJK`") })
  .meta({ id: "EmailCode" });
export const SentEmailCode = z.object({ email: z.string().describe("Where it is sent") }).meta({ id: "SentEmailCode" });

export const NewSignInLink = z
  .strictObject({
    user_id: id("usr").optional().describe("A member of the team. Default: yourself. With the token of the service's machine: anybody"),
    email: Email.optional().describe("In place of `user_id`, with the token of the service's machine only"),
  })
  .refine(({ user_id, email }) => user_id === undefined || email === undefined, "needs either user_id or email, or neither")
  .meta({ id: "NewSignInLink" });
export type NewSignInLink = z.output<typeof NewSignInLink>;
export const SignInLink = z
  .object({
    id: id("lnk").describe("The audit log names the link by it, when it is created and when it is used"),
    user_id: id("usr"),
    name: Name.describe("Whom it signs in"),
    team_id: id("team").nullable().describe("The team that its session is confined to; null: it is the whole person's"),
    url: z.string().describe("Open it in a browser. It works once"),
    secret: z.string().describe("Shown only once: the service stores only its hash"),
    expires_at: Timestamp,
  })
  .meta({ id: "SignInLink" });
export type SignInLink = z.infer<typeof SignInLink>;
