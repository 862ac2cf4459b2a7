// Variables of a player: values that operators, commands and triggers set and that conditions of schedules and items test.
import { z } from "zod";
import { cleanText, deviceText } from "../text.ts";

const maxValueLength = 200;

export const VariableName = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, "must be lower-case letters, digits and _, such as door_open");
export const VariableValue = z
  .union([
    z
      .string()
      .max(maxValueLength)
      .overwrite((text) => cleanText(text, maxValueLength)),
    z.number().min(-1e15).max(1e15),
    z.boolean(),
  ])
  .meta({ id: "VariableValue" });
export const Variables = z
  .record(VariableName, VariableValue)
  .refine((map) => Object.keys(map).length <= 100, "must be at most 100 variables");
export type Variables = z.infer<typeof Variables>;

/** The values in force on a player: those of the operator, overridden by those of commands and triggers. */
export const ReportedVariables = z.record(VariableName, VariableValue).describe("If there are many, the first by name");

/** The same in a heartbeat. An invalid name is dropped: it must not invalidate the whole heartbeat. */
export const HeartbeatVariables = z
  .record(z.string(), z.union([deviceText(maxValueLength), ...VariableValue.options.slice(1)]))
  .overwrite((map) => Object.fromEntries(Object.entries(map).filter(([name]) => VariableName.safeParse(name).success)));
