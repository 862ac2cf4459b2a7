// The operation by which a device enrols itself.
import { EnrolmentGrant, EnrolmentRequest, enrolmentRefusals, enrolmentUndecided } from "../../../../protocol/device/enrolment.ts";
import type { Enrolment } from "../enrolment.ts";
import { operationsWith, type Operation } from "../../../operations/operation.ts";
import { JsonResponse } from "../../../operations/responses.ts";

interface EnrolmentOperationDependencies {
  enrolment: Enrolment;
}

const operation = operationsWith<EnrolmentOperationDependencies>();

export const enrolmentOperations: readonly Operation<EnrolmentOperationDependencies>[] = [
  operation({
    name: "enrolDevice",
    tag: "device",
    method: "POST",
    path: "/device/enrolments",
    summary: "Become a player by an enrolment key",
    description:
      "Instead of a pairing code. Repeating it is safe: a device's key gets the same player again. A machine that was enrolled before, and lost its key by a reinstallation, takes its player again. `enrolment-undecided` asks the device to wait as long as `Retry-After` says.",
    caller: "anyone",
    body: EnrolmentRequest,
    example: {
      key: "enk_5rbVr8EDt1MvzVyLVkRFC9Vmp2nXmL1dAbCd",
      proof: "eyJhbGciOiJFZERTQSJ9.e30.c2ln",
      public_key: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
      player_version: "0.1.0",
      hardware: "Raspberry Pi 5",
      timezone: "Europe/London",
      resolution: { width: 1920, height: 1080 },
      serial: "10000000a1b2c3d4",
      mac: "d8:3a:dd:01:02:03",
    },
    status: 200,
    output: EnrolmentGrant,
    errors: [...enrolmentRefusals, enrolmentUndecided, "invalid", "too-many"],
    async run({ enrolment }, context, { body }, unitOfWork) {
      return new JsonResponse(200, await enrolment.enrol(body, context, unitOfWork), { "Cache-Control": "no-store" });
    },
  }),
];
