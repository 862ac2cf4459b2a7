// The tools: one for each operation of an operator that takes JSON or a small file and gives JSON or a picture. Made at the first need.
import type { Tool } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Scope } from "../../protocol/operator/people.ts";
import type { Toolset } from "../../protocol/operator/toolsets.ts";
import { isRead, type Operation } from "../operations/operation.ts";
import { operations, type OperationDependencies } from "../operations/operations.ts";
import { argumentsOf, type Places } from "./arguments.ts";
import { isIn } from "./toolsets.ts";

/** A tool and the operation behind it. */
export interface OperationTool {
  operation: Operation<OperationDependencies>;
  /** As clients see it. */
  tool: Tool;
  places: Places;
}

/** A tool that is no operation of its own: it finds operations or calls several. */
export interface OtherTool {
  tool: Tool;
  /** Without these scopes it is not offered. */
  scopes: readonly Scope[];
  /** The toolsets that it is in; null: all. */
  toolsets: readonly Toolset[] | null;
}

/** How many of the players that a write concerns are named. */
export const maxNamed = 100;

// One request that reaches many screens: asking first costs little.
const bulk = ["updatePlayers", "sendCommands"];
// What calls addresses elsewhere.
const outward = ["importAsset", "testWebhook", "replayWebhookDelivery", "replayFailedWebhookDeliveries"];
// Tokens have few sets of scopes between them.
const maxLists = 100;

/** Every tool. They are made at the first need: it takes a tenth of a second, which no start has to wait for. */
export class Toolbox {
  readonly #lists = new Map<string, readonly Tool[]>();
  readonly #others: readonly OtherTool[];
  #tools: ReadonlyMap<string, OperationTool> | null = null;

  /** @param others those that are no operations; none of them may have an operation's name. */
  constructor(others: readonly OtherTool[]) {
    this.#others = others;
  }

  /** The tool of this name; it need not be in any toolset that was asked for. */
  get(name: string): OperationTool | undefined {
    return this.#all().get(name);
  }

  /** What a token with these scopes is shown in these toolsets. */
  for(scopes: readonly Scope[], toolsets: readonly Toolset[]): readonly Tool[] {
    const key = `${scopes.join(" ")};${toolsets.toSorted().join(" ")}`;
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    const others = this.#others.filter(
      (each) =>
        each.scopes.every((scope) => scopes.includes(scope)) &&
        (each.toolsets === null || toolsets.includes("all") || each.toolsets.some((toolset) => toolsets.includes(toolset))),
    );
    const own = this.usable(scopes).filter(({ operation, tool }) => toolsets.some((toolset) => isIn(toolset, operation, tool.name)));
    const list = [...others, ...own].map(({ tool }) => tool);
    if (this.#lists.size >= maxLists) this.#lists.delete(this.#lists.keys().next().value!);
    this.#lists.set(key, list);
    return list;
  }

  /** The operations that a token with these scopes may call. */
  usable(scopes: readonly Scope[]): OperationTool[] {
    return [...this.#all().values()].filter(({ operation: { scope } }) => scope === undefined || scopes.includes(scope));
  }

  #all(): ReadonlyMap<string, OperationTool> {
    this.#tools ??= new Map(operations.filter(isForAgents).map((operation) => [snake(operation.name), toolOf(operation)]));
    return this.#tools;
  }
}

/** Whether REST answers without a body. */
export function hasNoResponseBody({ output }: Operation): boolean {
  return output instanceof z.ZodUndefined;
}

/** Whether it answers with a picture. */
function isPicture({ file }: Operation): boolean {
  return file !== undefined && file.every((type) => type.startsWith("image/"));
}

function isForAgents(each: Operation): boolean {
  if (each.caller !== "operator" || each.agent === false || each.stream === true) return false;
  return each.file === undefined || isPicture(each);
}

/** @throws TypeError when two arguments of the operation have one name. */
function toolOf(operation: Operation<OperationDependencies>): OperationTool {
  const { name, summary, description, agent, method } = operation;
  const { schema, ...places } = argumentsOf(operation);
  const tool: Tool = {
    name: snake(name),
    title: summary,
    description: [`${summary}.`, description, agent].filter((part) => part !== undefined && part !== false).join(" "),
    // What it answers stands in the API's description: who reads an answer needs no schema of it, and an agent pays for each word.
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
