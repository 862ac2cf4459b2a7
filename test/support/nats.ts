// Runs a real nats-server for tests, without privileges, on a port of its own that it keeps when it is started again.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { userInfo } from "node:os";

const nobody = 65_534;
// Of Debian's package nats-server, which is too old for production (docs/scaling.md).
const program = ["/usr/sbin/nats-server", "/usr/bin/nats-server"].find((path) => existsSync(path)) ?? "nats-server";

/** A nats-server. Disposing it ends it. */
export class TestNats implements AsyncDisposable {
  #child: ChildProcess | null = null;
  #port = -1;
  readonly #user = "signage";
  readonly #password = "p@ss:word/1";

  static async start(): Promise<TestNats> {
    const nats = new TestNats();
    await nats.start();
    return nats;
  }

  get url(): string {
    return `nats://${this.#user}:${encodeURIComponent(this.#password)}@127.0.0.1:${this.#port}`;
  }

  get port(): number {
    return this.#port;
  }

  get pid(): number {
    return this.#child!.pid!;
  }

  async start(): Promise<void> {
    const flags = ["-a", "127.0.0.1", "-p", String(this.#port), "--user", this.#user, "--pass", this.#password];
    const user = userInfo().uid === 0 ? { uid: nobody, gid: nobody } : {};
    const child = spawn(program, flags, { stdio: ["ignore", "ignore", "pipe"], cwd: "/", ...user });
    this.#child = child;
    const lines: string[] = [];
    await new Promise<void>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", () => reject(new Error(`nats-server ended: ${lines.join("\n")}`)));
      createInterface({ input: child.stderr }).on("line", (line) => {
        lines.push(line);
        const port = /Listening for client connections on 127\.0\.0\.1:(\d+)/.exec(line)?.[1];
        if (port !== undefined) this.#port = Number(port);
        if (line.includes("Server is ready")) resolve();
      });
    });
    child.removeAllListeners("exit");
  }

  async stop(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
