// The settings of a player's machine, as `signage.toml` has them. All are optional: a setting that is not named stays as it is.
import { z } from "zod";
import { Rotation } from "../content/orientation.ts";
import { TimeZone } from "../common.ts";
import { findHiddenCharacter } from "../text.ts";

const isPlain = (text: string): boolean => findHiddenCharacter(text) === null;
const serverError = "must be the address of the service, such as https://signage.example.org";
const keyError = "must be an enrolment key as the service shows it: enk_ and letters";
const passwordError = "must be 8 to 63 ASCII characters, or 64 hexadecimal digits";

/** The address of a service: http or https, without user, query or fragment. */
export const ServerAddress = z.string(serverError).max(500, serverError).refine(isServerAddress, serverError);
function isServerAddress(text: string): boolean {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text) || !isPlain(text)) return false;
  const { username, password, search, hash } = new URL(text);
  return `${username}${password}${search}${hash}` === "";
}

const proxyError = 'must be an HTTP proxy such as "http://user:password@proxy:3128", or "" for none';
/** `""` removes the proxy. */
export const ProxyAddress = z
  .string(proxyError)
  .max(500, proxyError)
  .refine((text) => text === "" || (/^http:\/\/[^\s"'\\]+$/.test(text) && URL.canParse(text)), proxyError);

/** A flag of the player. systemd and the launcher split the flags at blanks, so a flag must not have one. */
const PlayerFlag = z
  .string('must be a text such as "--quota=8GB"')
  .max(500)
  .regex(/^--[a-z][^\s"'\\$]*$/, 'must be a flag of signage-player such as "--quota=8GB", without blanks and quotes');

export const EnrolmentKeyText = z.string(keyError).regex(/^enk_[A-Za-z0-9_-]{8,96}$/, keyError);

export const WifiName = z
  .string("must be the network's name (SSID)")
  .refine((name) => name !== "" && new TextEncoder().encode(name).length <= 32 && isPlain(name), "must be 1 to 32 bytes long");
export const WifiPassword = z.string(passwordError).regex(/^([\x20-\x7e]{8,63}|[0-9A-Fa-f]{64})$/, passwordError);

/** `signage.toml`. */
export const SetupFile = z.strictObject({
  server: ServerAddress.optional().describe("The service"),
  enrolment_key: EnrolmentKeyText.optional().describe("Claims the player at the service without a pairing code. Removed after use"),
  rotation: z
    .literal(
      Rotation.options.map(({ value }) => value),
      "must be 0, 90, 180 or 270 (degrees clockwise)",
    )
    .optional()
    .describe("How the picture is turned, degrees clockwise"),
  timezone: z.string("must be an IANA time zone such as Europe/Berlin").pipe(TimeZone).optional().describe("IANA time zone of the machine"),
  proxy: ProxyAddress.optional().describe("HTTP proxy of the network"),
  flags: z.array(PlayerFlag, "must be a list of flags").max(50).optional().describe("Further flags of the player; replaces those before"),
  wifi: z
    .strictObject(
      {
        ssid: WifiName,
        password: WifiPassword.optional().describe("Removed after use"),
        hidden: z.boolean("must be true or false").optional().describe("Whether the network does not announce its name"),
      },
      { error: (issue) => (issue.code === "invalid_type" ? "must be a table: [wifi] with ssid and password" : undefined) },
    )
    .optional(),
});
export type SetupFile = z.infer<typeof SetupFile>;
