// MCP as agents use it: the official client, in both eras, against a real service.
import { expect, test } from "vitest";
import { operations } from "../../src/service/operations.ts";
import { temporaryFolder } from "../support/folder.ts";
import { Agent, eras } from "./agent.ts";
import { Bench } from "./harness.ts";

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

test.each(eras)("[MC1] every operation of an operator is a tool with title, schemas and hints (%s)", async (era) => {
  await using folder = await temporaryFolder();
  await using bench = await Bench.start(folder.path);
  await using agent = await Agent.connect(bench.service.url, bench.token, era);
  expect(agent.client.getNegotiatedProtocolVersion()).toMatch(new RegExp(`^${era}`));
  const { tools } = await agent.client.listTools();
  console.log(JSON.stringify(tools).length, tools.length);
  const isAside = (each: (typeof operations)[number]) => each.bytes !== undefined || each.stream === true;
  const wanted = operations.filter((each) => each.caller === "operator" && !isAside(each)).map((each) => snake(each.name));
  const left = ["create_event_ticket", "get_asset_content"];
  expect(tools.map((tool) => tool.name).toSorted()).toEqual(wanted.filter((name) => !left.includes(name)).toSorted());
  const players = await agent.ok("list_players", { limit: 5 });
  expect(players).toEqual({ data: [], next_cursor: null });
});
