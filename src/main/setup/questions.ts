// Asks for the settings at a terminal: shows the present ones as defaults, and explains a wrong answer at once.
import { createInterface, type Interface } from "node:readline";
import { Writable, type Readable } from "node:stream";
import { closestName } from "../../base/closest-name.ts";
import type { FoundService } from "../../protocol/device/discovery.ts";
import { EnrolmentKeyText, ProxyAddress, ServerAddress, SetupFile, WifiName, WifiPassword } from "../../protocol/device/setup-file.ts";
import { isSameServer, type PresentSettings } from "./present.ts";

/** The terminal, and the choices and defaults of the questions. */
export interface QuestionOptions {
  input: Readable;
  output: Writable & { isTTY?: boolean };
  present: PresentSettings;
  /** The services that were found on the network. */
  services: readonly FoundService[];
  /** Why a service does not answer; null if it does. */
  probe: (server: string) => Promise<string | null>;
}

/** A schema's own check of one answer. */
interface Check {
  safeParse: (value: unknown) => { success: true; data: unknown } | { success: false; error: { issues: readonly { message: string }[] } };
}

/** Asks everything. Null when the person decided to change nothing. Rejects with an AbortError when the input ends or `signal` aborts. */
export async function askSettings(options: QuestionOptions, signal: AbortSignal): Promise<SetupFile | null> {
  const terminal = new Terminal(options, signal);
  try {
    return await ask(terminal, options);
  } finally {
    terminal.close();
  }
}

async function ask(terminal: Terminal, { present, services, probe }: QuestionOptions): Promise<SetupFile | null> {
  terminal.say("Setting up this machine as a signage player. Enter keeps what is in brackets; Ctrl+C changes nothing.\n");
  const settings: Record<string, unknown> = {};
  const server = await askServer(terminal, present, services, probe);
  if (server !== null) settings["server"] = server;
  if ((server ?? present.server) !== null) {
    const key = await terminal.ask("Enrolment key (empty: pair by a code on the screen)", null, EnrolmentKeyText, { isSecret: true });
    if (key !== null) settings["enrolment_key"] = key;
  }
  const zone = await terminal.ask("Time zone", present.timezone, SetupFile.shape.timezone.unwrap(), {
    advice: (text) => {
      const meant = closestName(text, Intl.supportedValuesOf("timeZone"));
      return meant === undefined ? "" : `. Did you mean ${meant}?`;
    },
  });
  if (zone !== null) settings["timezone"] = zone;
  const rotation = await terminal.ask("Rotation of the picture, degrees clockwise: 0, 90, 180 or 270", present.rotation ?? "0", {
    safeParse: (text) => SetupFile.shape.rotation.unwrap().safeParse(Number(text)),
  });
  if (rotation !== null) settings["rotation"] = Number(rotation);
  if (present.hasNetworkManager) {
    const ssid = await terminal.ask("Wi-Fi network (empty: keep the present connection)", present.wifi, WifiName);
    if (ssid !== null) {
      const password = await terminal.ask("Wi-Fi password (empty: an open network)", null, WifiPassword, { isSecret: true });
      settings["wifi"] = { ssid, ...(password === null ? {} : { password }) };
    }
  }
  const proxy = await terminal.ask('HTTP proxy ("none" for none)', present.proxy ?? "none", {
    safeParse: (text) => ProxyAddress.safeParse(text === "none" ? "" : text),
  });
  if (proxy !== null) settings["proxy"] = proxy === "none" ? "" : proxy;
  if (Object.keys(settings).length === 0) return null;
  return (await terminal.confirm("Write these settings?", true)) ? SetupFile.parse(settings) : null;
}

async function askServer(
  terminal: Terminal,
  present: PresentSettings,
  services: readonly FoundService[],
  probe: (server: string) => Promise<string | null>,
): Promise<string | null> {
  if (services.length > 0) terminal.say("Services on this network:");
  for (const [index, { name, url }] of services.entries()) terminal.say(`  ${index + 1}  ${name}  ${url}`);
  const question = services.length > 0 ? "Address of the service, or a number from the list" : "Address of the service";
  const chosen = (text: unknown): unknown => (/^\d+$/.test(String(text)) ? (services[Number(text) - 1]?.url ?? text) : text);
  for (;;) {
    const answer = await terminal.ask(question, present.server, { safeParse: (text) => ServerAddress.safeParse(chosen(text)) });
    if (answer === null) return null;
    const server = String(chosen(answer));
    const silence = await probe(server);
    if (silence !== null) terminal.say(`  ${server} does not answer: ${silence}`);
    if (silence !== null && !(await terminal.confirm("Use it nevertheless?", false))) continue;
    const { paired } = present;
    const isMove = paired !== null && !isSameServer(server, paired);
    if (!isMove || (await terminal.confirm(`This player is paired with ${paired}. It has to be paired again at ${server}. Go on?`, false)))
      return server;
  }
}

interface AskOptions {
  /** True: the terminal does not show the answer. */
  isSecret?: boolean;
  /** More about a wrong answer. */
  advice?: (text: string) => string;
}

class Terminal {
  readonly #lines: Interface;
  readonly #answers: AsyncIterator<string>;
  readonly #output: Writable;
  #isMuted = false;

  constructor({ input, output }: QuestionOptions, signal: AbortSignal) {
    this.#output = output;
    const echo = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        // Without waiting for the terminal: a prompt that were still in the queue when the echo is muted would be lost.
        if (!this.#isMuted) output.write(chunk);
        done();
      },
    });
    this.#lines = createInterface({ input, output: echo, terminal: output.isTTY === true, signal });
    // Unlike `question`, the iterator keeps lines that arrive before they are asked for, such as pasted ones.
    this.#answers = this.#lines[Symbol.asyncIterator]();
  }

  say(text: string): void {
    this.#output.write(`${text}\n`);
  }

  /** The answer; null if it is empty, which keeps the present value. */
  async ask(question: string, present: string | null, check: Check, { isSecret = false, advice }: AskOptions = {}): Promise<string | null> {
    for (;;) {
      const answer = (await this.#line(`${question}${present === null ? "" : ` [${present}]`}: `, isSecret)).trim();
      if (answer === "") return null;
      const checked = check.safeParse(answer);
      if (checked.success) return answer;
      this.say(`  ${checked.error.issues[0]!.message}${advice?.(answer) ?? ""}`);
    }
  }

  async confirm(question: string, isDefault: boolean): Promise<boolean> {
    const answer = (await this.#line(`${question} [${isDefault ? "Y/n" : "y/N"}]: `, false)).trim().toLowerCase();
    return answer === "" ? isDefault : answer === "y" || answer === "yes";
  }

  close(): void {
    this.#lines.close();
  }

  async #line(question: string, isSecret: boolean): Promise<string> {
    this.#lines.setPrompt(question);
    this.#lines.prompt();
    this.#isMuted = isSecret;
    const { done, value } = await this.#answers.next();
    this.#isMuted = false;
    if (isSecret) this.#output.write("\n");
    // Ctrl+C, Ctrl+D, or the terminal is gone.
    if (done === true) throw new DOMException("The questions were not answered", "AbortError");
    return value;
  }
}
