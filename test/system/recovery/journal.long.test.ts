// A player without its command journal rejects commands that were sent before, and executes later ones.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/polling.ts";
import { startPlayer, startService } from "../../support/programs/programs.ts";

test("[CJN1] a new player executes its first command; after its journal is deleted it rejects earlier commands and executes later ones", async () => {
  await using folder = await temporaryFolder();
  const playerFolder = join(folder.path, "player");
  await using service = await startService(join(folder.path, "service"));
  const { api } = service;
  let playerId: string;
  {
    await using player = startPlayer(api.url, playerFolder);
    playerId = await api.pair(player);
    // Sent before the player knows that it is claimed.
    expect(await api.command(playerId, "identify")).toMatchObject({ status: "succeeded" });
  }
  const { id } = await api.ok("POST", `players/${playerId}/commands`, { type: "restart" });
  for (const name of ["commands.json", "commands.json.previous"]) await rm(join(playerFolder, name), { force: true });
  await using again = startPlayer(api.url, playerFolder);
  const refused = await eventually(async () => {
    const command = await api.ok("GET", `players/${playerId}/commands/${id}`);
    return command["status"] === "rejected" ? command : null;
  });
  expect(refused).toMatchObject({ error: { code: "journal-lost" } });
  await again.line("the command journal is lost: commands issued before now are rejected, because they may have run");
  // Commands of the first seconds are rejected too, because the clocks are not compared exactly.
  await eventually(async () => (await api.command(playerId, "identify"))["status"] === "succeeded");
});
