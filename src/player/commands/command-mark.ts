// The mark of the command journal: up to which instant commands may have run and been forgotten.
import { z } from "zod";

export const CommandMark = z.object({
  /** The mark is valid only for commands of the service with this key, because it is a time of that service's clock. */
  serviceKey: z.string(),
  /** Commands issued up to this instant may have run and been forgotten. Service time, UTC ms. */
  refusedUntil: z.number(),
  /** The journal was lost and the service's time is unknown since then, so no command is known to be newer than the loss. */
  isUndated: z.boolean(),
});
export type CommandMark = z.infer<typeof CommandMark>;

/** Combines marks: the strictest value of each field. */
export function mergeMarks(serviceKey: string, marks: readonly CommandMark[], isLost: boolean): CommandMark {
  return {
    serviceKey,
    refusedUntil: Math.max(0, ...marks.map(({ refusedUntil }) => refusedUntil)),
    isUndated: isLost || marks.some(({ isUndated }) => isUndated),
  };
}
