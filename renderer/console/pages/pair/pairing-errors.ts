// Puts the problem of a pairing to the field that it is about.
import { ProblemError } from "../../../../sdk/typescript/client.ts";
import { fieldErrorsOf, reasonOf } from "../../ui/problem-message.tsx";

/** The errors of the code and of the name; `other`: an error of neither. */
export function pairingErrors(error: unknown): { code?: string; name?: string; other?: unknown } {
  if (error === null || error === undefined) return {};
  const { code, name } = fieldErrorsOf(error);
  if (code !== undefined || name !== undefined) return { ...(code === undefined ? {} : { code }), ...(name === undefined ? {} : { name }) };
  // Unknown or used codes, and too many wrong ones, are about the code.
  const isAboutCode = error instanceof ProblemError && ["unknown-code", "already-claimed", "too-many"].includes(error.kind);
  return isAboutCode ? { code: reasonOf(error) } : { other: error };
}
