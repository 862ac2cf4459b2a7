// A file on a disk that does not answer until the test lets it.
import type { FileHandle } from "node:fs/promises";

export interface SlowFile {
  /** How many pieces each write has begun with. */
  begun: number[];
  /** Resolves when the first write has begun. */
  first: Promise<void>;
  /** Lets the waiting write and all later ones happen. */
  release(): void;
  /** Makes the waiting write and all later ones fail. */
  fail(error: Error): void;
}

/** Makes `file.writev` wait. */
export function slowDown(file: FileHandle): SlowFile {
  const writev = file.writev.bind(file);
  const begun: number[] = [];
  const first = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const slow = async (...args: Parameters<typeof writev>): ReturnType<typeof writev> => {
    begun.push(args[0].length);
    first.resolve();
    await gate.promise;
    return writev(...args);
  };
  Object.assign(file, { writev: slow });
  return { begun, first: first.promise, release: gate.resolve, fail: gate.reject };
}
