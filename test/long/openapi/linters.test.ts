// Third-party tools check the descriptions: Redocly and Spectral for OpenAPI, the official parser for AsyncAPI, and the types' generator.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Parser } from "@asyncapi/parser";
import spectralCore from "@stoplight/spectral-core";
import spectralRulesets from "@stoplight/spectral-rulesets";
import { expect, test } from "vitest";
import { descriptionFile, typesFile, typesText } from "../../../scripts/openapi.ts";
import { longTool } from "../../../scripts/test/long-tools.ts";
import { rootFolder } from "../../../src/main/folders.ts";
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
  linter.setRuleset(spectralRulesets.oas);
  const found: Finding[] = await linter.run(JSON.parse(JSON.stringify(description)) as Record<string, unknown>);
  // "For other security scheme types, the array MAY contain a list of role names" (OpenAPI 3.1, security requirement object).
  const roles = found.filter(({ code, message }) => code === "oas3-operation-security-defined" && message.endsWith("listed among scopes."));
  const upgrades = found.filter(({ code, path }) => code === "operation-success-response" && isUpgrade(path));
  expect(found.filter((each) => !roles.includes(each) && !upgrades.includes(each)).map(describeFinding)).toEqual([]);
  expect(found.filter(({ severity }) => severity === 0)).toEqual([]);
  process.stdout.write(`spectral: 0 errors, ${found.length} warnings (${roles.length} roles, ${upgrades.length} upgrades)\n`);
});

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
});

test("[OAS4] Redocly reports no problem and makes no network request", async () => {
  await using folder = await temporaryFolder();
  const program = longTool("@redocly/cli/bin/cli.js");
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder.path,
    REDOCLY_TELEMETRY: "off",
    REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
    // Any network request would go to a closed port.
    HTTP_PROXY: "http://127.0.0.1:1",
    HTTPS_PROXY: "http://127.0.0.1:1",
  };
  const lint = promisify(execFile)(process.execPath, [program, "lint", descriptionFile, "--format=json"], {
    cwd: rootFolder,
    env,
    maxBuffer: 64 * 1_024 ** 2,
  });
  const { stdout } = await lint.catch((error: unknown) => error as { stdout: string });
  const { totals, problems } = JSON.parse(stdout.slice(stdout.indexOf("{"))) as { totals: Record<string, number>; problems: unknown[] };
  expect(problems).toEqual([]);
  expect([totals["errors"], totals["warnings"]]).toEqual([0, 0]);
  // The only ignored rule is about the status 101 of a path that only supports upgrades.
  const successes = (operation: (typeof described)[number]["operation"]) =>
    Object.keys(operation.responses).filter((status) => status < "4");
  const upgrades = described.filter(({ operation }) => successes(operation).join() === "101");
  expect(totals["ignored"]).toBe(upgrades.length);
  process.stdout.write(`redocly: ${totals["errors"]} errors, ${totals["warnings"]} warnings, ${totals["ignored"]} ignored (upgrades)\n`);
});

test("[OAS6] the generator writes the client's types as they are committed", async () => {
  const committed = await readFile(join(rootFolder, descriptionFile), "utf8");
  expect(await readFile(join(rootFolder, typesFile), "utf8")).toBe(typesText(committed));
});
