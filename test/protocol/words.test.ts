// The words for people in what service and screens say: problems, refusals, reasons. Programs read players, people have screens.
import { readFile } from "node:fs/promises";
import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rootFolder } from "../../src/main/folders.ts";
import { problemCatalog } from "../../src/protocol/device/player-problems.ts";
import { openedMail } from "../../src/service/alerts/mail/mail-text.ts";
import type { AlertRow } from "../../src/service/store/tables/events.ts";
import { literalsOf } from "../support/sentences.ts";

/** The word where it is not a part of a path, a flag, a name of a program or code in backticks. */
const player = /(?<![-\w/.{_"`])players?\b(?!_)/i;
const sources = ["src/service/**/*.ts", "src/schedule/**/*.ts", "src/player/**/*.ts", "src/protocol/**/*.ts", "src/host/**/*.ts"];
// Descriptions for programs and agents, metrics, SQL, a list of passwords, and the kinds of ids.
const notForPeople =
  /^src\/(service\/(openapi|mcp|monitoring|store|fleet\/state\/desired-states|people\/passwords\/check-password)|protocol\/common)/;

test("[TXT9] what service and screens say to people names screens, never players", async () => {
  for (const { title, remedy } of Object.values(problemCatalog)) expect(`${title} ${remedy}`).not.toMatch(player);
  const files = globSync(sources, { cwd: rootFolder }).filter((path) => !notForPeople.test(path));
  const sentences = (
    await Promise.all(
      files.map(async (path) =>
        literalsOf(await readFile(join(rootFolder, path), "utf8"))
          .filter(({ text, isForPeople }) => isForPeople && /\S\s+\S/.test(text))
          .map(({ text, line }) => ({ text, at: `${path}:${line}` })),
      ),
    )
  ).flat();
  expect(sentences.length).toBeGreaterThan(1_000);
  expect(sentences.filter(({ text }) => player.test(text))).toEqual([]);
});

test("[TXT10] a mail about an alert says since when, and has no instant as programs write it", () => {
  const row = {
    player_name: "Lobby",
    kind: "wrong",
    detail: "New content waits: the window opens at 2026-11-24T02:00:00.000Z",
    remedy: "Wait, or change the window.",
    since: Date.UTC(2026, 10, 23, 16, 55),
    site: null,
    player_id: "plr_1",
  } as AlertRow;
  const { text, html } = openedMail([row], "Lobby shows the wrong content", null, false);
  for (const part of [text, html]) {
    expect(part).toContain("the window opens at 2026-11-24 02:00 UTC");
    expect(part).toContain("Since 2026-11-23 16:55 UTC");
    expect(part).not.toMatch(/[0-9]T[0-9]/);
  }
});
