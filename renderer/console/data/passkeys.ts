// Asks the browser for passkeys. The library for it is loaded when it is first needed.
import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../../../sdk/typescript/client.ts";
import { texts } from "../i18n/texts.ts";
import { client, directClient } from "./client.ts";
import { signInOptionsQuery } from "./sign-in-options.ts";

const text = texts("passkeys");

/**
 * Tells if passkeys can be used on this page: browsers offer them only in secure contexts, the service only for its own host name.
 * @param isAsked false: nobody needs to know yet
 * @returns undefined: it is not known yet
 */
export function usePasskeysHere(isAsked = true): boolean | undefined {
  const canBrowser = isSecureContext && "PublicKeyCredential" in globalThis;
  const { data } = useQuery({ ...signInOptionsQuery, enabled: isAsked && canBrowser });
  return canBrowser && isAsked ? data && data.passkey_host === location.hostname : false;
}

/** The person, or the browser, did not answer with a passkey. */
export class NoPasskeyError extends Error {}

/**
 * Asks the browser for a passkey of the person.
 * @param isOffered it is only offered where the person types their email, until another question or {@link stopAsking} takes its place
 * @throws NoPasskeyError if there is none.
 */
export async function askForPasskey(purpose: "sign-in" | "proof", isOffered = false): Promise<Schemas["PasskeyAssertion"]> {
  const [{ data: optionsJSON }, { startAuthentication }] = await Promise.all([
    directClient.post(purpose === "proof" ? "/api/v1/session/proof/passkey" : "/api/v1/session/passkey"),
    import("@simplewebauthn/browser"),
  ]);
  try {
    const { id, rawId, type, response } = await startAuthentication({ optionsJSON, useBrowserAutofill: isOffered });
    return { id, rawId, type, response: { ...response, userHandle: response.userHandle ?? null } };
  } catch (error) {
    throw new NoPasskeyError(text("notUsed"), { cause: error });
  }
}

/** Takes back the question that the browser has not answered. */
export async function stopAsking(): Promise<void> {
  const { WebAuthnAbortService } = await import("@simplewebauthn/browser");
  WebAuthnAbortService.cancelCeremony();
}

/** True if the browser can offer passkeys where the person types their email. */
export async function canOffer(): Promise<boolean> {
  return (await PublicKeyCredential.isConditionalMediationAvailable?.()) === true;
}

/** Makes a passkey for the person who is signed in. @throws NoPasskeyError if they did not want it, or it could not be made. */
export async function addPasskey(): Promise<Schemas["Passkey"]> {
  const [{ data: optionsJSON }, { startRegistration }] = await Promise.all([
    client.post("/api/v1/me/passkeys/challenge"),
    import("@simplewebauthn/browser"),
  ]);
  let registration: Awaited<ReturnType<typeof startRegistration>>;
  try {
    registration = await startRegistration({ optionsJSON });
  } catch (error) {
    throw new NoPasskeyError(text(reasonOf(error)), { cause: error });
  }
  const { id, rawId, type, response } = registration;
  const { clientDataJSON, attestationObject, transports = [] } = response;
  const credential = { id, rawId, type, response: { clientDataJSON, attestationObject, transports } };
  return (await client.post("/api/v1/me/passkeys", { body: { credential } })).data;
}

/** Why the browser made no passkey. */
function reasonOf(error: unknown): "notMade" | "onDevice" | "cannotVerify" {
  const name = error instanceof Error ? error.name : "";
  if (name === "InvalidStateError") return "onDevice";
  return name === "ConstraintError" || name === "NotSupportedError" ? "cannotVerify" : "notMade";
}

/** Tells whatever keeps a passkey that it was removed, so that it is offered no longer. Not every browser passes it on. */
export async function forgetPasskey({ host, credential_id }: Schemas["Passkey"]): Promise<void> {
  if (host !== location.hostname || !("PublicKeyCredential" in globalThis)) return;
  await PublicKeyCredential.signalUnknownCredential?.({ rpId: host, credentialId: credential_id });
}
