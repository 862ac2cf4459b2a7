// The wall with as many screens as the service is made for.
import { expect, test } from "vitest";
import { createProblem } from "../../src/protocol/device/player-problems.ts";
import { desktop, startBrowser, Window } from "../support/console/console.ts";
import { playing, startWall, type StoredScreen } from "../support/console/wall.ts";

test("[CWL4] the one dark screen among 10,000 is in view without any action, with its cause and what to do", async () => {
  const screens = Array.from({ length: 10_000 }, (_, place): StoredScreen => ({ name: `Screen ${place + 1}`, says: playing(null) }));
  const problems = [createProblem("not-rendering", Date.now() - 60_000)];
  screens[6_789] = { name: "Platform 9", says: { ...playing(null), rendering: false, problems } };
  await using wall = await startWall(screens);
  await using browser = await startBrowser();
  await using window = await Window.open(browser);
  const { page } = window;
  await window.signIn(wall.service);
  await page.getByText("10,000 screens", { exact: true }).first().waitFor();
  const wrong = page.getByRole("article", { name: "Platform 9", exact: true });
  await expect.poll(() => wrong.evaluate((element) => element.getBoundingClientRect().bottom)).toBeLessThan(desktop.viewport!.height);
  await wrong.getByText("No frame is presented on the screen.").waitFor();
  await wrong.getByText("Send the command restart", { exact: false }).waitFor();
  await page.getByRole("button", { name: "Wrong 1", exact: true }).waitFor();
  await page.getByRole("button", { name: "Playing 9,999", exact: true }).waitFor();
  // Only what is in view is drawn.
  expect(await page.getByRole("article").count()).toBeLessThan(80);
  expect(window.errors).toEqual([]);
});
