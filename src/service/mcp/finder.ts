// Tools that find and call any operation, since only a few operations are listed as tools.
import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import { z } from "zod";
import { invalidFields } from "../http/problem.ts";
import { validatePart } from "../http/input/validation.ts";
import { isRead } from "../operations/operation.ts";
import { callOperation, runTool, type McpCall, type ToolRunner } from "./calls.ts";
import type { Arguments } from "./tool-input.ts";
import type { CombinedTool, OperationTool } from "./tools.ts";

const Search = z.strictObject({
  words: z
    .string()
    .max(200)
    .default("")
    .describe("What you want to do, or an operation's name: `holiday calendar`. Leave it empty to list all names"),
});
const CallInput = z.strictObject({
  name: z.string().max(100).describe("The name that find_operation returned"),
  arguments: z.record(z.string(), z.unknown()).default({}).describe("Arguments that match the operation's `arguments` schema"),
});
// The number of operations returned with their schemas, which are long.
const maxDetailed = 3;
const maxNames = 12;
// Words that people use, and the words of operation names with the same meaning.
const synonyms: Readonly<Record<string, string>> = {
  new: "create",
  add: "create",
  make: "create",
  edit: "update",
  change: "update",
  rename: "update",
  remove: "delete",
  screen: "player",
  display: "player",
  box: "player",
  file: "asset",
  media: "asset",
  person: "member",
  people: "member",
  log: "audit",
};
// Words that are too common to search for.
const commonWords = new Set([
  "a",
  "an",
  "the",
  "of",
  "to",
  "for",
  "in",
  "on",
  "is",
  "and",
  "or",
  "how",
  "what",
  "which",
  "with",
  "by",
  "all",
  "my",
]);

function described(name: string, title: string, description: string, input: z.ZodType, hints: Tool["annotations"]): CombinedTool {
  const { $schema: _schema, ...inputSchema } = z.toJSONSchema(input, { io: "input" });
  return {
    tool: { name, title, description, inputSchema: inputSchema as Tool["inputSchema"], annotations: hints },
    scopes: [],
    toolsets: null,
  };
}

const reading = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

export const finderTools: readonly CombinedTool[] = [
  described(
    "find_operation",
    "Find an operation",
    "Finds operations that are not among the listed tools (playlists, layouts, schedules, calendars, webhooks, members, tokens, audit …). Returns their names and purposes, and for the best matches the schema of their arguments. Then use read_operation or call_operation.",
    Search,
    reading,
  ),
  described(
    "read_operation",
    "Call a reading operation",
    "Calls an operation for which find_operation returned read_only true. Changes nothing.",
    CallInput,
    reading,
  ),
  described(
    "call_operation",
    "Call any operation",
    "Calls any operation that the token allows, like the operation's own tool. Writing operations accept dry_run, idempotency_key and, if their schema has it, if_match in `arguments`: try them with dry_run first.",
    CallInput,
    { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  ),
];

/** Calls one of {@link finderTools}; returns undefined for any other name. */
export function callFinder(runner: ToolRunner, mcpCall: McpCall, name: string, args: Arguments): Promise<CallToolResult> | undefined {
  if (name === "find_operation") return runTool(runner, mcpCall, name, async () => found(runner, mcpCall, parsed(Search, args).words));
  if (name !== "read_operation" && name !== "call_operation") return undefined;
  return runTool(runner, mcpCall, name, async () => {
    const { name: operation, arguments: own } = parsed(CallInput, args);
    const tool = runner.tools.get(operation);
    if (tool === undefined) throw invalidFields([{ pointer: "name", detail: `there is no operation ${operation}: use find_operation` }]);
    if (name === "read_operation" && !isRead(tool.operation)) {
      throw invalidFields([{ pointer: "name", detail: `${operation} writes: use call_operation` }]);
    }
    return callOperation(runner, mcpCall, tool, own);
  });
}

/** @throws ProblemError 422. */
function parsed<T>(schema: z.ZodType<T>, args: Arguments): T {
  const result = validatePart(schema, args);
  if ("value" in result) return result.value;
  throw invalidFields(result.errors, result.moreErrors);
}

function found(runner: ToolRunner, mcpCall: McpCall, words: string): CallToolResult {
  const usable = runner.tools.usable(mcpCall.operator.scopes);
  const queryWords = wordsIn(words);
  // Search for both words, since the original word may also occur in a description.
  const searchWords = [...new Set(queryWords.flatMap((word) => [word, synonyms[word] ?? word]))];
  const ranked = usable
    .map((each) => ({
      each,
      score: queryWords.join("_") === each.tool.name ? Number.MAX_SAFE_INTEGER : scoreOf(each, searchWords, usable),
    }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ each }) => each);
  const others = ranked.length === 0 ? usable : ranked.slice(maxDetailed, maxDetailed + maxNames);
  const body = {
    operations: ranked.slice(0, maxDetailed).map(({ operation, tool }) => ({
      name: tool.name,
      read_only: isRead(operation),
      description: tool.description,
      arguments: tool.inputSchema,
    })),
    others: others.map(({ tool }) => ({ name: tool.name, does: tool.title })),
  };
  // The result contains no untrusted text, so it is not marked.
  return { content: [{ type: "text", text: JSON.stringify(body) }], structuredContent: body };
}

/** How well an operation matches: a word in its name counts most, and a rare word more than a common one. */
function scoreOf(each: OperationTool, words: readonly string[], all: readonly OperationTool[]): number {
  return words.reduce((sum, word) => {
    const weight = weightOf(each, word);
    if (weight === 0) return sum;
    const matching = all.filter((other) => weightOf(other, word) > 0).length;
    return sum + weight * Math.log(1 + all.length / matching);
  }, 0);
}

function weightOf({ operation, tool }: OperationTool, word: string): number {
  const holds = (text: string | undefined) => wordsIn(text ?? "").some((other) => other === word);
  return (holds(tool.name) ? 6 : 0) + (holds(tool.title) ? 3 : 0) + (holds(operation.tag) ? 2 : 0) + (holds(tool.description) ? 1 : 0);
}

/** The words of a text in lower case and singular, without common words. */
function wordsIn(text: string): string[] {
  const all = text.toLowerCase().split(/[^a-z0-9]+/);
  return [
    ...new Set(
      all.filter((word) => word !== "" && !commonWords.has(word)).map((word) => word.replace(/ies$/, "y").replace(/(?<=..)s$/, "")),
    ),
  ];
}
