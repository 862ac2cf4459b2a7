// A linter rule for tests: nothing may let a verdict depend on the machine's speed. Loaded by .oxlintrc.json.

import type { Context, Node } from "./rule.ts";

// What only ends a test that hangs may be given: it is long enough for any machine.
const shortestHangMs = 300_000;
const limits = new Set(["timeout", "timeoutMs", "limitMs", "testTimeout", "hookTimeout"]);

const messages = {
  clock: "A test must not judge real time: inject a clock, or wait for the event itself. Figures belong in bench/ or a *.long.test.ts.",
  sleep: "A test must not sleep: wait for the event, or drive a fake clock.",
  limit:
    "A time limit in a test fails on a slow machine: leave it out. Vitest's own limit (scripts/test/vitest-config.ts) ends what hangs.",
  page: "The page's content security policy forbids eval, so a string is never evaluated: pass a function, or poll page.evaluate.",
};

const machineSpeed = {
  create(context: Context) {
    const report = (node: Node, message: keyof typeof messages): void => context.report({ node, message: messages[message] });
    return {
      MemberExpression(node: Node) {
        if (isMember(node, "performance", "now")) report(node, "clock");
      },
      BinaryExpression(node: Node) {
        if (node.operator === "-" && readsClockAgain(node.left!, node.right!)) report(node, "clock");
      },
      ImportDeclaration(node: Node) {
        const isTimers = /^(node:)?timers\/promises$/.test(String(node.source!.value));
        if (isTimers && node.specifiers!.some(({ imported }) => imported?.name !== "setImmediate")) report(node, "sleep");
      },
      CallExpression(node: Node) {
        const name = nameOf(node.callee!);
        const words = node.arguments ?? [];
        if (name === "setTimeout" && node.callee!.type === "Identifier") report(node, "sleep");
        if (name === "waitForTimeout") report(node, "sleep");
        if (name === "waitForFunction" && ["Literal", "TemplateLiteral"].includes(words[0]?.type ?? "")) report(words[0]!, "page");
        if (/^(poll|waitFor|waitUntil|setConfig|click|fill|check)/.test(name))
          words.flatMap(shortLimits).forEach((one) => report(one, "limit"));
        if (name === "waitUntil" && isShort(words[2])) report(words[2]!, "limit");
        if (/^(test|it|beforeAll|beforeEach|afterAll|afterEach)$/.test(name) && isShort(words.at(-1))) report(words.at(-1)!, "limit");
      },
    };
  },
};

/** `Date.now() - from`, but not `Date.now() - 60_000`, which is an instant. */
function readsClockAgain(left: Node, right: Node): boolean {
  return isCallOf(left, "Date", "now") && right.type !== "Literal" && !isConstant(right);
}

/** A name in capitals or one that tells a duration, such as `hour` or `dayMs`. */
function isConstant(node: Node): boolean {
  return (
    node.type === "BinaryExpression" || (node.type === "Identifier" && /^(second|minute|hour|day|week)s?(Ms)?$|Ms$/.test(node.name ?? ""))
  );
}

function shortLimits(words: Node): Node[] {
  if (words.type !== "ObjectExpression") return [];
  return (words.properties ?? []).filter(({ key, value }) => limits.has(key?.name ?? "") && isShort(value as Node));
}

function isShort(node: Node | undefined): boolean {
  return node?.type === "Literal" && typeof node.value === "number" && node.value < shortestHangMs;
}

function isCallOf(node: Node, object: string, property: string): boolean {
  return node.type === "CallExpression" && isMember(node.callee!, object, property);
}

function isMember(node: Node, object: string, property: string): boolean {
  return node.type === "MemberExpression" && node.object!.name === object && node.property!.name === property;
}

/** The name of a called function or method. */
function nameOf(callee: Node): string {
  return callee.type === "MemberExpression" ? (callee.property!.name ?? "") : (callee.name ?? "");
}

export default { meta: { name: "signage" }, rules: { "machine-speed": machineSpeed } };
