// Enrolment by a key: how a device becomes a player without a pairing code.
import { z } from "zod";
import { PairingRequest, TokenGrant } from "./messages.ts";
import { deviceText } from "../text.ts";

/** The identity of a machine besides its device's key, which a reinstallation deletes. Null: unknown. */
const machine = {
  serial: deviceText(128).nullable().describe("Of the machine. Placeholders such as `To be filled by O.E.M.` count as unknown"),
  mac: z
    .string()
    .regex(/^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$/, "must be a MAC address such as 02:00:5e:10:00:01")
    .meta({ examples: ["00:00:5e:00:53:01"] })
    .nullable()
    .describe("The permanent MAC address of its first network interface"),
};

/** `POST /device/enrolments`. `proof` is a {@link TokenProof} by the device's key whose `aud` is the enrolment key. */
export const EnrolmentRequest = z
  .strictObject({
    key: z.string().max(100).describe("The enrolment key, `enk_…`"),
    proof: z.string().max(2_048),
    ...PairingRequest.shape,
    ...machine,
  })
  .meta({ id: "EnrolmentRequest" });
export type EnrolmentRequest = z.infer<typeof EnrolmentRequest>;

/** Why a player differs from the settings of its key. */
export const EnrolmentWarning = z
  .object({
    code: z.enum(["layout-missing", "machine-in-use", "machine-ambiguous", "serial-shared", "earlier-player-deleted"]),
    message: deviceText(500),
  })
  .meta({ id: "EnrolmentWarning" });
export type EnrolmentWarning = z.infer<typeof EnrolmentWarning>;

/** How a device got its player. */
const EnrolmentOutcome = z.enum(["new", "same-device", "same-machine"]).meta({ id: "EnrolmentOutcome" });
export type EnrolmentOutcome = z.infer<typeof EnrolmentOutcome>;

/** The response: the same grant as that of a claimed pairing code. */
export const EnrolmentGrant = TokenGrant.extend({
  outcome: EnrolmentOutcome.describe(
    "`same-device`: the device's key has this player already. `same-machine`: the machine was enrolled before and takes its player again",
  ),
  warnings: z.array(EnrolmentWarning),
}).meta({ id: "EnrolmentGrant" });
export type EnrolmentGrant = z.infer<typeof EnrolmentGrant>;

/** Problem types of a refused enrolment, which the device tells from failures of the network. */
export const enrolmentRefusals = [
  "enrolment-key-unknown",
  "enrolment-key-revoked",
  "enrolment-key-expired",
  "enrolment-key-used-up",
  "enrolment-team-deleted",
] as const;
/** The problem type that asks the device to wait: the player of its machine may still run. */
export const enrolmentUndecided = "enrolment-undecided";
