// The order and the links of the API documentation.
import { expect, test } from "vitest";
import { describeService } from "../../../src/service/openapi/document.ts";
import { operations } from "../../../src/service/operations/operations.ts";

const document = describeService("0.0.0") as unknown as {
  info: { description: string };
  tags: { name: string }[];
};

test("[FST5] the documentation at /docs begins with the first steps, and every step links to its operation", () => {
  const { description } = document.info;
  const links = [...description.matchAll(/\(#\/([^/]+)\/(\w+)\)/g)].map(([, tag, name]) => `${decodeURIComponent(tag!)} ${name}`);
  expect(links.length).toBeGreaterThan(8);
  const known = operations.map(({ tag, name }) => `${tag} ${name}`);
  for (const link of links) expect(known).toContain(link);
  for (const word of ["admin-token", "/mcp", "/api/v1/events", "webhooks", "sdk"]) expect(description).toContain(word);
});

test("[FST5] the device operations are a separate group at the end", () => {
  expect(document.tags.at(-1)!.name).toBe("device");
  expect(document.tags.filter(({ name }) => name === "device")).toHaveLength(1);
});
