// The preview's pixels are those of screenshots of a real player at the same instant. The long tests compare more ways in which it stands.
import { expect, test } from "vitest";
import { wholeLayout } from "./comparison.ts";
import { kinds } from "./every-kind.ts";
import { startScreenComparison } from "./screen-comparison.ts";

const panel = { width: 800, height: 480 };

test("[PRV19] a preview has the pixels of the screenshot that a player takes at the same instant, of every kind of content", async () => {
  await using comparison = await startScreenComparison(panel);
  const none = Object.fromEntries(["beside", ...kinds].map((name) => [name, 0]));
  expect(await comparison.differences({ layout: panel, view: wholeLayout })).toEqual(none);
});
