// Takes used secrets out of the text of a signage.toml and keeps the rest, comments included.
import { isDeepStrictEqual } from "node:util";
import { parse, stringify } from "smol-toml";
import type { SetupFile } from "../../../protocol/device/setup-file.ts";
import { lineOf } from "./toml.ts";

const secretPaths = [["enrolment_key"], ["wifi", "password"]] as const;

/** True if the settings hold a secret. */
export function hasSecrets({ enrolment_key, wifi }: SetupFile): boolean {
  return enrolment_key !== undefined || wifi?.password !== undefined;
}

/**
 * The text without the secrets of `settings`, which are its own. A comment names each removed secret. A text that writes its secrets in
 * an unusual way, such as in an inline table, loses its comments.
 */
export function withoutSecrets(text: string, settings: SetupFile): string {
  const { enrolment_key: key, wifi, ...rest } = settings;
  const { password, ...network } = wifi ?? {};
  const wanted = { ...rest, ...(wifi === undefined ? {} : { wifi: network }) };
  const lines = text.replace(/^\uFEFF/, "").split("\n");
  for (const path of secretPaths) {
    const line = lineOf(text, path);
    if (line !== null) lines[line - 1] = `# ${path.at(-1)} was used and removed`;
  }
  const wiped = lines.join("\n");
  const isGone = [key, password].every((secret) => secret === undefined || !wiped.includes(secret));
  return isGone && isSame(wiped, wanted) ? wiped : `# The secrets were used and removed, and with them the comments.\n${stringify(wanted)}`;
}

function isSame(text: string, wanted: object): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(JSON.stringify(parse(text))), JSON.parse(JSON.stringify(wanted)));
  } catch {
    return false; // a line of a longer value was removed, so that the rest is no TOML
  }
}
