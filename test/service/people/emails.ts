// People who carry an address that they have not proven, for tests.
import { expect } from "vitest";
import type { ApiResponse, TestService } from "../harness.ts";
import { Browser } from "./browser.ts";

export const squatterPassword = "four sly foxes wait";

/** Accepts an invitation in a new browser. */
export function accept(api: TestService, secret: string, password: string, browser = new Browser(api.service.url)): Promise<ApiResponse> {
  return browser.call("POST", "session", { method: "invitation", secret, password });
}

/** Makes a team of a stranger's own, and an account in it that carries another person's address. */
export async function squat(
  api: TestService,
  email: string,
  password = squatterPassword,
  browser = new Browser(api.service.url),
): Promise<{ userId: string; browser: Browser }> {
  const team = (await api.call("POST", "teams", { name: "Squatters" })).body;
  const headers = { authorization: `Bearer ${team.token.secret}` };
  const { body: invitation } = await api.call("POST", "invitations", { email, name: "Squatter", role: "viewer" }, headers);
  const joined = await accept(api, invitation.secret, password, browser);
  expect(joined.status).toBe(201);
  return { userId: joined.body.user.id, browser };
}
