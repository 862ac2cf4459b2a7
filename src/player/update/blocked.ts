// The error of an update that cannot go on until somebody or something else changes.

/** The wanted version cannot be installed. The message tells people why, and names the remedy. */
export class Blocked extends Error {}

/** Without a time that is certain, expired metadata could pass for valid. */
export const clockUnsure =
  "the device does not know the time, so it cannot tell whether the release's metadata has expired. Connect it to the service, or give it time servers with --ntp";

export const metadataExpired = "the release's metadata has expired. Sign it again with signage-release, and mirror it again";
