// Flags that more than one program takes.
import { z } from "zod";

/** A TCP port; 0 picks a free one. */
export const Port = z
  .string()
  .regex(/^\d{1,5}$/, "must be a port, 0 to 65535")
  .transform(Number)
  .refine((port) => port <= 65_535, "must be a port, 0 to 65535");
