// Finds the changes of an API description that break its clients. Pure: takes two documents and returns sentences.

type Json = Record<string, unknown>;
/** The compared parts of an OpenAPI description. */
export interface Description {
  info: { version: string };
  paths: Record<string, Record<string, Json>>;
  components?: unknown;
}
type Side = "request" | "response";
type Pair = { old: Json; new: Json; at: string; side: Side };

/**
 * One sentence per change that breaks a client: something was removed or became required, or a type, enumeration or bound
 * accepts less in a request or guarantees less in a response.
 */
export function breakingChanges(before: Description, after: Description): string[] {
  return new Comparison(before, after).run();
}

/** Whether the version allows breaking changes: a higher major version, or below 1.0 a higher minor version. */
export function allowsBreaking(before: string, after: string): boolean {
  const [oldMajor = 0, oldMinor = 0] = before.split(".").map(Number);
  const [newMajor = 0, newMinor = 0] = after.split(".").map(Number);
  return newMajor > oldMajor || (newMajor === 0 && oldMajor === 0 && newMinor > oldMinor);
}

class Comparison {
  readonly #before: Description;
  readonly #after: Description;
  readonly #found: string[] = [];
  readonly #seen = new Set<string>();

  constructor(before: Description, after: Description) {
    this.#before = before;
    this.#after = after;
  }

  run(): string[] {
    for (const [path, methods] of Object.entries(this.#before.paths)) {
      const now = this.#after.paths[path];
      if (now === undefined) this.#found.push(`${path}: the path is gone`);
      else for (const [method, old] of Object.entries(methods)) this.#operation(`${method.toUpperCase()} ${path}`, old, now[method]);
    }
    return this.#found;
  }

  #operation(at: string, old: Json, now: Json | undefined): void {
    if (now === undefined) return void this.#found.push(`${at}: the operation is gone`);
    if (old["operationId"] !== now["operationId"]) this.#found.push(`${at}: its operationId was ${String(old["operationId"])}`);
    this.#security(at, old, now);
    this.#parameters(at, old, now);
    this.#body(at, old, now);
    const responses = now["responses"] as Json;
    for (const [status, answer] of Object.entries(old["responses"] as Json)) {
      const other = responses[status];
      if (other === undefined) this.#found.push(`${at}: the status ${status} is gone`);
      else this.#content(`${at} ${status}`, this.#old(answer), this.#new(other), "response");
    }
  }

  #security(at: string, old: Json, now: Json): void {
    const needs = (each: Json) => ((each["security"] ?? []) as Record<string, string[]>[]).map((scheme) => JSON.stringify(scheme));
    const allowed = needs(now);
    for (const scheme of needs(old).length === 0 && allowed.length > 0 ? ["no authentication"] : needs(old)) {
      if (allowed.length > 0 && !allowed.includes(scheme)) this.#found.push(`${at}: ${scheme} no longer suffices`);
    }
  }

  #parameters(at: string, old: Json, now: Json): void {
    const read = (list: unknown, resolve: (part: unknown) => Json) =>
      new Map(
        ((list ?? []) as unknown[]).map(resolve).map((each) => [`${String(each["in"])} parameter ${String(each["name"])}`, each] as const),
      );
    const before = read(old["parameters"], (part) => this.#old(part));
    const after = read(now["parameters"], (part) => this.#new(part));
    for (const [name, each] of before) {
      const other = after.get(name);
      if (other === undefined) this.#found.push(`${at}: the ${name} is gone`);
      else this.#schema({ at: `${at} ${name}`, old: each["schema"] as Json, new: other["schema"] as Json, side: "request" });
    }
    for (const [name, each] of after) {
      if (each["required"] === true && before.get(name)?.["required"] !== true) this.#found.push(`${at}: the ${name} is required now`);
    }
  }

  #body(at: string, old: Json, now: Json): void {
    const before = old["requestBody"] === undefined ? undefined : this.#old(old["requestBody"]);
    const after = now["requestBody"] === undefined ? undefined : this.#new(now["requestBody"]);
    if (after?.["required"] === true && before?.["required"] !== true) this.#found.push(`${at}: a body is required now`);
    if (before === undefined) return;
    if (after === undefined) return void this.#found.push(`${at}: it accepts no body any more`);
    this.#content(at, before, after, "request");
  }

  #content(at: string, old: Json, now: Json, side: Side): void {
    const after = (now["content"] ?? {}) as Record<string, Json>;
    for (const [type, { schema }] of Object.entries((old["content"] ?? {}) as Record<string, Json>)) {
      const other = after[type];
      if (other === undefined) this.#found.push(`${at}: the media type ${type} is gone`);
      else this.#schema({ at: `${at} ${side}`, old: (schema ?? {}) as Json, new: (other["schema"] ?? {}) as Json, side });
    }
  }

  #schema({ old: oldPart, new: newPart, at, side }: Pair): void {
    const key = `${side} ${JSON.stringify(oldPart)} ${JSON.stringify(newPart)}`;
    // Reports a shared schema once, and ends the recursion of a schema that refers to itself.
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const old = this.#old(oldPart);
    const now = this.#new(newPart);
    const report = (what: string) => this.#found.push(`${at}: ${what}`);
    const before = this.#types(old, (part) => this.#old(part));
    const after = this.#types(now, (part) => this.#new(part));
    // "any" accepts and returns every type.
    const lost = after.includes("any") ? [] : minus(before, after);
    const gained = before.includes("any") ? [] : minus(after, before);
    if ((side === "request" ? lost : gained).length > 0) report(`the type was ${before.join(" or ")}, it is ${after.join(" or ")}`);
    const values = (schema: Json) => ("const" in schema ? [schema["const"]] : (schema["enum"] as unknown[] | undefined));
    const gone = minus(values(old) ?? [], values(now) ?? values(old) ?? []);
    if (side === "request" && gone.length > 0) report(`the value ${gone.map(String).join(", ")} is gone`);
    if (side === "request" && values(old) === undefined && values(now) !== undefined) report("only certain values are accepted now");
    if (side === "request") this.#bounds(old, now, report);
    this.#fields(old, now, at, side);
    if (old["items"] !== undefined && now["items"] !== undefined) {
      this.#schema({ at: `${at}[]`, old: old["items"] as Json, new: now["items"] as Json, side });
    }
    this.#choices(old, now, at, side);
  }

  #bounds(old: Json, now: Json, report: (what: string) => void): void {
    for (const name of ["maximum", "maxLength", "maxItems"]) {
      if (Number(now[name] ?? Infinity) < Number(old[name] ?? Infinity)) report(`${name} is ${String(now[name])} now`);
    }
    for (const name of ["minimum", "minLength", "minItems"]) {
      if (Number(now[name] ?? -Infinity) > Number(old[name] ?? -Infinity)) report(`${name} is ${String(now[name])} now`);
    }
    if (now["pattern"] !== undefined && now["pattern"] !== old["pattern"]) report(`the pattern is ${JSON.stringify(now["pattern"])} now`);
  }

  #fields(old: Json, now: Json, at: string, side: Side): void {
    const [before, after] = [old, now].map((schema) => (schema["properties"] ?? {}) as Record<string, Json>) as [
      Record<string, Json>,
      Record<string, Json>,
    ];
    const [oldRequired, newRequired] = [old, now].map((schema) => (schema["required"] ?? []) as string[]) as [string[], string[]];
    const isObject = [now["type"]].flat().includes("object");
    for (const [name, schema] of Object.entries(before)) {
      const other = after[name];
      // A changed type has been reported already.
      if (other === undefined && isObject) this.#found.push(`${at}.${name}: the field is gone`);
      else if (other !== undefined) this.#schema({ at: `${at}.${name}`, old: schema, new: other, side });
    }
    if (side === "request")
      for (const name of minus(newRequired, oldRequired)) this.#found.push(`${at}.${name}: the field is required now`);
    else
      for (const name of minus(oldRequired, newRequired))
        if (name in after) this.#found.push(`${at}.${name}: the field may be missing now`);
  }

  #choices(old: Json, now: Json, at: string, side: Side): void {
    if (!isUnion(old) && !isUnion(now)) return;
    const before = this.#members(old, (part) => this.#old(part));
    const after = this.#members(now, (part) => this.#new(part));
    for (const [name, schema] of before) {
      const other = after.get(name);
      if (other !== undefined) this.#schema({ at: `${at}(${name})`, old: schema, new: other, side });
      else if (side === "request") this.#found.push(`${at}: the variant ${name} is gone`);
    }
  }

  /** The members of a union by the name that distinguishes them: their constant fields, else their type. */
  #members(schema: Json, resolve: (part: unknown) => Json): Map<string, Json> {
    const list = membersOf(schema).map(resolve);
    const nameOf = (each: Json) => {
      const constants = Object.values((each["properties"] ?? {}) as Record<string, Json>).flatMap((field) =>
        "const" in field ? [String(field["const"])] : [],
      );
      return constants.join("+") || this.#types(each, resolve).join("|");
    };
    const names = list.map(nameOf);
    return new Map(list.map((each, place) => [names.indexOf(names[place]!) === place ? names[place]! : `${names[place]!}#${place}`, each]));
  }

  /** The types that a schema allows; for a union, those of its members. */
  #types(schema: Json, resolve: (part: unknown) => Json): string[] {
    if (isUnion(schema)) return [...new Set(membersOf(schema).flatMap((each) => this.#types(resolve(each), resolve)))];
    if (schema["type"] !== undefined) return [schema["type"]].flat().map(String);
    return ["const" in schema ? typeof schema["const"] : "any"];
  }

  #old(part: unknown): Json {
    return resolved(part, this.#before);
  }

  #new(part: unknown): Json {
    return resolved(part, this.#after);
  }
}

function resolved(part: unknown, document: Description): Json {
  const reference = (part as Json)["$ref"];
  if (typeof reference !== "string") return part as Json;
  const target = reference
    .slice(2)
    .split("/")
    .reduce<unknown>((place, name) => (place as Json)[name], document);
  return resolved(target, document);
}

function isUnion(schema: Json): boolean {
  return "oneOf" in schema || "anyOf" in schema;
}

/** The members of a union. Several types count as a union; another schema is its own only member. */
function membersOf(schema: Json): unknown[] {
  const types = [schema["type"]].flat();
  return (schema["oneOf"] ?? schema["anyOf"] ?? (types.length > 1 ? types.map((type) => ({ ...schema, type })) : [schema])) as unknown[];
}

function minus<T>(these: readonly T[], those: readonly T[]): T[] {
  return these.filter((each) => !those.includes(each));
}
