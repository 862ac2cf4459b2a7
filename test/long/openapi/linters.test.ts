// Third-party linters check the descriptions: Spectral for OpenAPI, the official parser for AsyncAPI.
import { Parser } from "@asyncapi/parser";
import spectralCore from "@stoplight/spectral-core";
import spectralRulesets from "@stoplight/spectral-rulesets";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { described, description } from "../../service/openapi/contract.ts";
import { TestService } from "../../service/harness.ts";

interface Finding {
  code: string | number;
  message: string;
  path: (string | number)[];
  severity: number;
}

const describeFinding = ({ severity, code, path, message }: Finding) => `${severity} ${code} at ${path.join("/")}: ${message}`;

test("[IOP1] Spectral reports only what OpenAPI 3.1 allows: scopes of a bearer token, the status 101 of an upgrade", async () => {
  const linter = new spectralCore.Spectral();
  linter.setRuleset(spectralRulesets.oas as Parameters<typeof linter.setRuleset>[0]);
  const found: Finding[] = await linter.run(JSON.parse(JSON.stringify(description)) as Record<string, unknown>);
  // "For other security scheme types, the array MAY contain a list of role names" (OpenAPI 3.1, security requirement object).
  const roles = found.filter(({ code, message }) => code === "oas3-operation-security-defined" && message.endsWith("listed among scopes."));
  const upgrades = found.filter(({ code, path }) => code === "operation-success-response" && isUpgrade(path));
  expect(found.filter((each) => !roles.includes(each) && !upgrades.includes(each)).map(describeFinding)).toEqual([]);
  expect(found.filter(({ severity }) => severity === 0)).toEqual([]);
  process.stdout.write(`spectral: 0 errors, ${found.length} warnings (${roles.length} roles, ${upgrades.length} upgrades)\n`);
}, 240_000);

function isUpgrade(path: readonly (string | number)[]): boolean {
  return described.some(({ path: each, operation }) => each === path[1] && operation.responses["101"] !== undefined);
}

test("[IOP2] the AsyncAPI parser accepts the description of the WebSockets, even after other requests to the service", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  await (await fetch(`${api.service.url}/api/v1/openapi.json`)).arrayBuffer();
  const text = await (await fetch(`${api.service.url}/api/v1/asyncapi.json`)).text();
  const { document, diagnostics } = await new Parser().parse(text);
  // The parser suggests AsyncAPI 3.1.0, which this document does not need.
  const found = (diagnostics as Finding[]).filter(({ code }) => code !== "asyncapi-latest-version");
  expect(found.map(describeFinding)).toEqual([]);
  expect(
    document
      ?.channels()
      .all()
      .map((channel) => channel.id()),
  ).toEqual(["events", "device"]);
  expect(document?.allMessages().all().length).toBeGreaterThan(15);
  process.stdout.write(`asyncapi parser: ${found.length} complaints, ${document?.schemas().all().length} schemas\n`);
}, 60_000);
