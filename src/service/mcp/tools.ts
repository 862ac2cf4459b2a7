// Builds the tools: one for each operator operation that accepts JSON or a small file and returns JSON, an image or a text.
import type { Tool } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Scope } from "../../protocol/operator/people.ts";
import type { Toolset } from "../../protocol/operator/toolsets.ts";
import { isRead, type Operation } from "../operations/operation.ts";
import { operations, type OperationDependencies } from "../operations/operations.ts";
import { argumentsOf, type ArgumentPlaces } from "./arguments.ts";
import { isInToolset } from "./toolsets.ts";

/** A tool and the operation behind it. */
export interface OperationTool {
  operation: Operation<OperationDependencies>;
  /** The tool as clients see it. */
  tool: Tool;
  places: ArgumentPlaces;
}

/** A tool that finds operations or calls several. */
export interface CombinedTool {
  tool: Tool;
  /** The scopes that it requires. */
  scopes: readonly Scope[];
  /** The toolsets that it belongs to; null: all. */
  toolsets: readonly Toolset[] | null;
}

/** How many affected players the result of a write names. */
export const maxNamedPlayers = 100;

// Operations that affect many screens in one call.
const bulk = ["updatePlayers", "deletePlayers", "sendCommands"];
// Operations that call external URLs.
const outward = ["importAsset", "sendTestMail", "testWebhook", "replayWebhookDelivery", "replayFailedWebhookDeliveries"];
// Tokens share few different sets of scopes.
const maxLists = 100;

let builtTools: ReadonlyMap<string, OperationTool> | null = null;

/** All tools. */
export class Toolbox {
  readonly #lists = new Map<string, readonly Tool[]>();
  readonly #others: readonly CombinedTool[];

  /** @param others the tools that are no operations; their names must differ from all operations' names */
  constructor(others: readonly CombinedTool[]) {
    this.#others = others;
  }

  /** The tool with this name, in any toolset. */
  get(name: string): OperationTool | undefined {
    return operationTools().get(name);
  }

  /** The tools that are listed for a token with these scopes in these toolsets. */
  for(scopes: readonly Scope[], toolsets: readonly Toolset[]): readonly Tool[] {
    const key = `${scopes.join(" ")};${toolsets.toSorted().join(" ")}`;
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    const others = this.#others.filter(
      (each) =>
        each.scopes.every((scope) => scopes.includes(scope)) &&
        (each.toolsets === null || toolsets.includes("all") || each.toolsets.some((toolset) => toolsets.includes(toolset))),
    );
    const own = this.usable(scopes).filter(({ operation, tool }) => toolsets.some((toolset) => isInToolset(toolset, operation, tool.name)));
    const list = [...others, ...own].map(({ tool }) => tool);
    if (this.#lists.size >= maxLists) this.#lists.delete(this.#lists.keys().next().value!);
    this.#lists.set(key, list);
    return list;
  }

  /** The operations that a token with these scopes may call. */
  usable(scopes: readonly Scope[]): OperationTool[] {
    return [...operationTools().values()].filter(({ operation: { scope } }) => scope === undefined || scopes.includes(scope));
  }
}

/** The tools of all operations, by name. Building them takes a tenth of a second, so it is done on first use, once for the process. */
function operationTools(): ReadonlyMap<string, OperationTool> {
  builtTools ??= new Map(operations.filter(isForAgents).map((operation) => [snake(operation.name), toolOf(operation)]));
  return builtTools;
}

/** True if REST responds without a body. */
export function hasNoResponseBody({ output }: Operation): boolean {
  return output instanceof z.ZodUndefined;
}

/** True if it responds with an image, or with a text that is no JSON. */
function isReadableFile({ file }: Operation): boolean {
  return file !== undefined && file.every((type) => type.startsWith("image/") || type === "text/plain");
}

function isForAgents(each: Operation): boolean {
  if (each.caller !== "operator" || each.agent === false || each.stream === true) return false;
  return each.file === undefined || isReadableFile(each);
}

/** @throws TypeError when two arguments of the operation have the same name. */
function toolOf(operation: Operation<OperationDependencies>): OperationTool {
  const { name, summary, description, agent, method } = operation;
  const { schema, ...places } = argumentsOf(operation);
  const tool: Tool = {
    name: snake(name),
    title: summary,
    description: [`${summary}.`, description, agent].filter((part) => part !== undefined && part !== false).join(" "),
    // There is no output schema: it costs tokens, and an agent does not need it to read the result.
    inputSchema: schema as Tool["inputSchema"],
    annotations: {
      readOnlyHint: isRead(operation),
      destructiveHint: method === "DELETE" || bulk.includes(name),
      idempotentHint: method !== "POST" || name.startsWith("restore"),
      openWorldHint: outward.includes(name),
    },
  };
  return { operation, tool, places };
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
