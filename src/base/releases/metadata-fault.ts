// Gives the errors of the TUF library codes, and messages that name the remedy.
import { BadVersionError, ExpiredMetadataError } from "tuf-js/dist/error.js";
import { Fault, reasonOf } from "../fault.ts";

/** @param error the library's error, or "missing" or "too long" for the file at `path`. */
export function metadataFault(error: unknown, path = ""): Fault {
  if (error === "missing") {
    return new Fault("metadata-missing", `The release's metadata is incomplete: ${path} is missing. Publish or mirror the release again`);
  }
  if (error === "too long") return new Fault("signature", `The release's metadata is refused: ${path} is too long`);
  const reason = reasonOf(error);
  // The library passes on only the message of an error while it reads snapshot and targets, so those are recognized by it.
  if (error instanceof ExpiredMetadataError || /\bis expired\b/.test(reason)) {
    return new Fault("metadata-expired", "The release's metadata has expired. Sign it again with `signage-release`, or mirror it again", {
      cause: error,
    });
  }
  if (
    error instanceof BadVersionError ||
    /is less than current version|does not match snapshot version|doesn't match timestamp/.test(reason)
  ) {
    return new Fault("metadata-rollback", "The release's metadata is older than what this machine already trusted, or mixes two states", {
      cause: error,
    });
  }
  return new Fault("signature", "The release's metadata is not signed by enough keys of the trusted root, or was changed", {
    cause: error,
  });
}
