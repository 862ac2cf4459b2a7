// Runs media processes for the embedded service. A packaged Electron cannot run Node programs (the runAsNode fuse), and only its main
// process can fork utility processes. So the main process forks them and relays messages between them and the service.
import { z } from "zod";
import type { MediaProcess, StartMediaProcess } from "../../service/media/process.ts";

const number = z.int();
/** From the service to Electron's main process. */
const MediaCommand = z.object({
  media: z.discriminatedUnion("is", [
    z.object({ is: z.literal("start"), number }),
    z.object({ is: z.literal("line"), number, line: z.string() }),
    z.object({ is: z.literal("kill"), number }),
  ]),
});
/** From Electron's main process to the service. */
const MediaReport = z.object({
  media: z.discriminatedUnion("is", [
    z.object({ is: z.literal("started"), number, pid: z.int() }),
    z.object({ is: z.literal("line"), number, line: z.string().nullable() }),
    z.object({ is: z.literal("ended"), number, how: z.string() }),
  ]),
});
type MediaCommand = z.infer<typeof MediaCommand>;
type MediaReport = z.infer<typeof MediaReport>;

/** A forked media process, such as Electron's UtilityProcess. */
export interface ForkedProcess {
  readonly pid?: number | undefined;
  on(event: "message", listener: (message: unknown) => void): unknown;
  once(event: "spawn", listener: () => void): unknown;
  once(event: "exit", listener: (code: number) => void): unknown;
  postMessage(message: unknown): void;
}

/** Lets the embedded service start media processes in the program that forked it. */
export function startMediaInParent(port: NonNullable<typeof process.parentPort>): StartMediaProcess {
  const handlers = new Map<number, (report: MediaReport["media"]) => void>();
  let last = 0;
  port.on("message", ({ data }) => {
    const report = MediaReport.safeParse(data).data?.media;
    if (report !== undefined) handlers.get(report.number)?.(report);
  });
  const send = (media: MediaCommand["media"]): void => port.postMessage({ media } satisfies MediaCommand);
  return async () => {
    const own = (last += 1);
    let pid: number | undefined;
    let handleLine: (line: string | null) => void = () => undefined;
    const ended = new Promise<string>((resolve) =>
      handlers.set(own, (report) => {
        if (report.is === "started") pid = report.pid;
        else if (report.is === "line") handleLine(report.line);
        else {
          handlers.delete(own);
          resolve(report.how);
        }
      }),
    );
    send({ is: "start", number: own });
    const started: MediaProcess = {
      get pid() {
        return pid;
      },
      ended,
      send: (line) => send({ is: "line", number: own, line }),
      onLine: (listener) => (handleLine = listener),
      kill: () => send({ is: "kill", number: own }),
    };
    return started;
  };
}

/** The media processes that Electron's main process has forked for one run of the service. */
export class MediaForks {
  readonly #fork: () => ForkedProcess;
  readonly #send: (report: unknown) => void;
  readonly #forked = new Map<number, ForkedProcess>();

  constructor(fork: () => ForkedProcess, send: (report: unknown) => void) {
    this.#fork = fork;
    this.#send = send;
  }

  /** Executes a command of the service. Ignores other messages. */
  handleMessage(message: unknown): void {
    const command = MediaCommand.safeParse(message).data?.media;
    if (command === undefined) return;
    if (command.is === "start") this.#start(command.number);
    else if (command.is === "line") this.#forked.get(command.number)?.postMessage(command.line);
    else kill(this.#forked.get(command.number));
  }

  /** Kills all processes, because the service has exited. */
  killAll(): void {
    for (const forked of this.#forked.values()) kill(forked);
  }

  #start(own: number): void {
    const forked = this.#fork();
    const report = (media: MediaReport["media"]): void => this.#send({ media } satisfies MediaReport);
    this.#forked.set(own, forked);
    forked.once("spawn", () => report({ is: "started", number: own, pid: forked.pid! }));
    forked.on("message", (line) => report({ is: "line", number: own, line: typeof line === "string" ? line : null }));
    forked.once("exit", (code) => {
      this.#forked.delete(own);
      report({ is: "ended", number: own, how: `code ${code}` });
    });
  }
}

/** Kills by SIGKILL: Electron's own `kill` sends SIGTERM, which a process busy with hostile data may ignore. */
function kill(forked: ForkedProcess | undefined): void {
  if (forked?.pid !== undefined) process.kill(forked.pid, "SIGKILL");
  else forked?.once("spawn", () => process.kill(forked.pid!, "SIGKILL"));
}
