// Checks the claims of a provider about a person. Pure.
import { z } from "zod";
import { Name } from "../../../protocol/common.ts";
import { Email } from "../../../protocol/operator/people.ts";

const entraHost = "login.microsoftonline.com";
const googleIssuer = "https://accounts.google.com";
// It has had each of these forms.
const entraYes = [true, 1, "1", "true"];

/** The email of a person if the provider has verified it and answers for it today, else null. */
export function verifiedEmailIn(claims: Readonly<Record<string, unknown>>, issuer: string): string | null {
  const { email, email_verified: isVerified, xms_edov: isDomainOwned } = claims;
  // Entra ID has no `email_verified`, but says whether the tenant owns the email's domain. Elsewhere the claim means nothing.
  const isOwned = isVerified === undefined && new URL(issuer).host === entraHost && entraYes.some((each) => each === isDomainOwned);
  if (isVerified !== true && !isOwned) return null;
  const parsed = z.safeParse(Email, email);
  if (!parsed.success || (issuer === googleIssuer && !isGooglesOwn(parsed.data, claims["hd"]))) return null;
  return parsed.data;
}

/** Google verifies an address of a foreign domain once, when its account is made: somebody else may have it by now. It has `hd` for its own. */
function isGooglesOwn(email: string, hostedDomain: unknown): boolean {
  return email.endsWith("@gmail.com") || (typeof hostedDomain === "string" && hostedDomain !== "");
}

/** The name of a person; null: there is none that may be shown. */
export function nameIn({ name }: Readonly<Record<string, unknown>>): string | null {
  const parsed = z.safeParse(Name, name);
  return parsed.success ? parsed.data : null;
}
