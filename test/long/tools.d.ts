// What the long tests use of tools that `npm ci` does not install (scripts/test/long-tools.ts), so that `npm run check` needs none of them.
declare module "@asyncapi/parser" {
  interface Items<Item> {
    all(): Item[];
  }
  interface AsyncApiDocument {
    channels(): Items<{ id(): string }>;
    allMessages(): Items<unknown>;
    schemas(): Items<unknown>;
  }
  export class Parser {
    parse(text: string): Promise<{ document: AsyncApiDocument | undefined; diagnostics: unknown[] }>;
  }
}

declare module "@stoplight/spectral-core" {
  interface Finding {
    code: string | number;
    message: string;
    path: (string | number)[];
    severity: number;
  }
  class Spectral {
    setRuleset(ruleset: object): void;
    run(description: Record<string, unknown>): Promise<Finding[]>;
  }
  const core: { Spectral: typeof Spectral };
  export default core;
}

declare module "@stoplight/spectral-rulesets" {
  const rulesets: { oas: object };
  export default rulesets;
}

declare module "puppeteer-core" {
  interface Box {
    x: number;
    y: number;
    width: number;
    height: number;
  }
  export interface Page {
    keyboard: Record<"down" | "up" | "press" | "type", (text: string) => Promise<void>>;
    on(event: "console", listener: (message: { type(): string; text(): string }) => void): void;
    on(event: "pageerror", listener: (error: unknown) => void): void;
    locator(selector: string): { click(): Promise<void>; fill(text: string): Promise<void>; wait(): Promise<void> };
    evaluate(script: string): Promise<unknown>;
    goto(url: string): Promise<unknown>;
    setDefaultTimeout(timeoutMs: number): void;
    setViewport(size: { width: number; height: number }): Promise<void>;
    waitForFunction(script: string): Promise<unknown>;
    waitForSelector(selector: string): Promise<{ boundingBox(): Promise<Box | null> } | null>;
  }
  interface Browser {
    newPage(): Promise<Page>;
    close(): Promise<void>;
  }
  export function launch(options: { browser: "firefox"; executablePath: string; headless: boolean }): Promise<Browser>;
}
