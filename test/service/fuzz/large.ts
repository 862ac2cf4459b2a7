// Inputs that are large instead of odd: for each operation bodies of up to a megabyte, and queries, that are too much in one respect.
import { sampleOf } from "../../../src/service/openapi/samples.ts";
import type { Schema } from "../../../src/service/openapi/json.ts";
import { resolve } from "../openapi/contract.ts";
import type { Target } from "./fuzzed-service.ts";

// Below the limit of a body, 1 MiB.
const bytes = 900_000;
// Node refuses more headers and URL than 16 kB before the service sees them.
const urlBytes = 15_000;

type Body = Record<string, unknown>;

/** Bodies for an operation with a JSON body, each by what is too much in it, made when it is called. */
export function largeBodies({ body, example }: Target): Map<string, () => string> {
  const schema = resolve(body!);
  const whole = (typeof example === "object" && example !== null ? example : {}) as Body;
  const fields = Object.entries({ ...whole, ...samplesOf(schema) });
  const bodies = new Map<string, () => string>([
    ["fields", () => `{${numbered(70_000, (at) => `"f${at}":0`)}}`],
    ["depth", () => withField(whole, fields[0]?.[0] ?? "x", nested(bytes / 2))],
    ["levels", () => `${'{"a":'.repeat(bytes / 6)}1${"}".repeat(bytes / 6)}`],
    ["long name", () => withField(whole, "x".repeat(bytes), "1")],
    ["list", () => `[${numbered(bytes / 2, () => "0")}]`],
    ["values", () => withField(whole, fields[0]?.[0] ?? "x", `[${numbered(49, () => `[${numbered(9_000, () => "0")}]`)}]`)],
  ]);
  for (const [name, value] of fields) {
    if (typeof value === "string") {
      bodies.set(`text in ${name}`, () => withField(whole, name, JSON.stringify("x".repeat(bytes))));
      bodies.set(`lines in ${name}`, () => withField(whole, name, JSON.stringify("x,\n".repeat(bytes / 4))));
    }
    if (!Array.isArray(value)) continue;
    const entry = JSON.stringify(value[0] ?? {});
    bodies.set(`zeros in ${name}`, () => withField(whole, name, `[${numbered(10_000, () => "0")}]`));
    bodies.set(`entries in ${name}`, () =>
      withField(whole, name, `[${numbered(Math.min(10_000, bytes / (entry.length + 1)), () => entry)}]`),
    );
    // Each entry has unknown fields.
    if (entry.startsWith("{")) {
      bodies.set(`wide entries in ${name}`, () =>
        withField(whole, name, `[${numbered(900, () => `{${numbered(90, (at) => `"f${at}":0`)}}`)}]`),
      );
    }
  }
  for (const [what, csv] of tables)
    if (schema.properties?.["csv"] !== undefined) bodies.set(what, () => withField({}, "csv", JSON.stringify(csv)));
  for (const [what, ical] of calendars)
    if (schema.properties?.["ical"] !== undefined) bodies.set(what, () => withField({ name: "C" }, "ical", JSON.stringify(ical)));
  return bodies;
}

/** Queries, each by what is too much in it. */
export function largeQueries({ query }: Target): Map<string, string> {
  const queries = new Map([["parameters", `?${numbered(urlBytes / 6, (at) => `p${at}=`, "&").slice(0, urlBytes)}`]]);
  for (const { name } of query) queries.set(`list in ?${name}`, `?${name}=${numbered(urlBytes / 2, () => "x", ",")}`);
  const [first] = query;
  if (first !== undefined)
    queries.set(`many ?${first.name}`, `?${numbered(urlBytes / (first.name.length + 3), () => `${first.name}=1`, "&")}`);
  return queries;
}

/** An example of each field of a body; of a body with forms, of the fields of all. */
function samplesOf(schema: Schema): Body {
  const forms = ((schema["oneOf"] ?? schema["anyOf"]) as Schema[] | undefined) ?? [];
  const own = Object.entries(schema.properties ?? {}).map(
    ([name, field]) => [name, sampleOf(field, ($ref) => resolve({ $ref }), name)] as const,
  );
  return Object.assign({}, ...forms.map((form) => samplesOf(resolve(form))), Object.fromEntries(own)) as Body;
}

const tables: readonly (readonly [string, string])[] = [
  ["columns of a table", `${numbered(440_000, () => "x")}\n1`],
  ["cells of a table", `playlist,name,layout\n${"x,".repeat(440_000)}`],
  ["lines of a table", `playlist,type\n${"a,b\n".repeat(170_000)}`],
  ["faults of a table", `playlist,type,text,duration,fit,color,url,muted\n${"P,text,x,8,x,x,x,x\n".repeat(9_900)}`],
  ["faults of schedules", `name,layout,screens,first_day,days\n${"S,lay,scr,2026-11-24,XX\n".repeat(9_900)}`],
  ["an open quotation mark", `playlist,type\n"${"x\n".repeat(300_000)}`],
  ["quotation marks", `playlist,type\n"${'""'.repeat(200_000)}",x`],
];

const event = (more: string): string => `BEGIN:VEVENT\r\nDTSTART;VALUE=DATE:20261224\r\nSUMMARY:x\r\n${more}END:VEVENT\r\n`;
const calendar = (content: string): string => `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${content}END:VCALENDAR\r\n`;
const calendars: readonly (readonly [string, string])[] = [
  ["events", calendar(event("").repeat(11_000))],
  ["faulty events", calendar("BEGIN:VEVENT\r\nSUMMARY:x\r\nEND:VEVENT\r\n".repeat(20_000))],
  ["recurring events", calendar(event("RRULE:FREQ=DAILY\r\n").repeat(9_000))],
  ["properties of a calendar", calendar("A:b\r\n".repeat(150_000))],
  ["depth of a calendar", "BEGIN:VCALENDAR\r\n".repeat(45_000)],
  ["dates of an event", calendar(event(`RDATE;VALUE=DATE:${numbered(9_000, () => "20261225")}\r\n`))],
  ["parameters of a property", calendar(event(`X-A${";A=b".repeat(20_000)}:x\r\n`))],
];

function withField(body: Body, name: string, json: string): string {
  const rest = Object.entries(body).filter(([key, value]) => key !== name && value !== undefined);
  return `{${[...rest.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`), `${JSON.stringify(name)}:${json}`].join(",")}}`;
}

function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

function numbered(count: number, make: (at: number) => string, separator = ","): string {
  return Array.from({ length: Math.trunc(count) }, (_, at) => make(at)).join(separator);
}
