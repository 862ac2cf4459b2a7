// The definition of a command, except its action: the requests of the API, the turns and the recurring commands follow from it.
import { z } from "zod";

export interface CommandDefinition {
  args: z.ZodType;
  /** It changes the machine or the program, and begins when such commands before it have ended. */
  takesTurns?: true;
  /** A player may run it by itself at times of the day. Others make no sense without a person, or would end the pairing. */
  mayRecur?: true;
}
export type CommandDefinitions = Readonly<Record<string, CommandDefinition>>;

/** The time within which a command must start, in seconds. */
const timeToLiveS = z.int().min(1).max(604_800).default(600);

type Request<D extends CommandDefinitions> = {
  [T in keyof D & string]: z.ZodObject<{ type: z.ZodLiteral<T>; args: D[T]["args"]; ttl_s: typeof timeToLiveS }, z.core.$strict>;
}[keyof D & string];

/** The requests of these commands, as members for a union. */
export function requestsOf<D extends CommandDefinitions>(definitions: D): [Request<D>, ...Request<D>[]] {
  const all = Object.entries(definitions).map(([type, { args }]) => z.strictObject({ type: z.literal(type), args, ttl_s: timeToLiveS }));
  return all as unknown as [Request<D>, ...Request<D>[]];
}

/** The types of those that have a trait. */
export type TypeWith<D extends CommandDefinitions, Trait extends keyof CommandDefinition> = {
  [T in keyof D & string]: D[T] extends Record<Trait, true> ? T : never;
}[keyof D & string];
