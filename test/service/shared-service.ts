// One service for the tests of a file, which each get a team of their own: a team costs a request, a start as much as thirty.
import { afterAll, beforeAll } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { TestService } from "./harness.ts";

/** A service that runs while the tests of a file or group do. To be called where the tests are defined. */
export function useService(config: Parameters<typeof TestService.start>[1] = {}): { newTeam(): Promise<TestService> } {
  const opened = new AsyncDisposableStack();
  let service: TestService;
  beforeAll(async () => {
    const folder = opened.use(await temporaryFolder());
    service = opened.use(await TestService.start(folder.path, config));
  });
  afterAll(() => opened.disposeAsync());
  return {
    /** The service with the token of a new team, which has nothing yet. Disposed of after all tests. */
    newTeam: () => service.newTeam(),
  };
}
