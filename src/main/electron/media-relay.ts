// Media processes of the embedded service. Electron's package runs no Node program of its own (the runAsNode fuse), and only its main
// process forks utility processes: so that one forks them for the service and hands on what both say.
import { z } from "zod";
import type { MediaProcess, StartMediaProcess } from "../../service/media/process.ts";

const number = z.int();
/** From the service to Electron's main process. */
const Order = z.object({
  media: z.discriminatedUnion("is", [
    z.object({ is: z.literal("start"), number }),
    z.object({ is: z.literal("line"), number, line: z.string() }),
    z.object({ is: z.literal("kill"), number }),
  ]),
});
/** From Electron's main process to the service. */
const News = z.object({
  media: z.discriminatedUnion("is", [
    z.object({ is: z.literal("started"), number, pid: z.int() }),
    z.object({ is: z.literal("line"), number, line: z.string().nullable() }),
    z.object({ is: z.literal("ended"), number, how: z.string() }),
  ]),
});
type Order = z.infer<typeof Order>;
type News = z.infer<typeof News>;

/** A forked media process, as Electron's `utilityProcess` has it. */
export interface ForkedProcess {
  readonly pid?: number | undefined;
  on(event: "message", listener: (message: unknown) => void): unknown;
  once(event: "spawn", listener: () => void): unknown;
  once(event: "exit", listener: (code: number) => void): unknown;
  postMessage(message: unknown): void;
}

/** How the embedded service has media processes started by the program that forked it. */
export function startMediaInParent(port: NonNullable<typeof process.parentPort>): StartMediaProcess {
  const hearers = new Map<number, (news: News["media"]) => void>();
  let last = 0;
  port.on("message", ({ data }) => {
    const news = News.safeParse(data).data?.media;
    if (news !== undefined) hearers.get(news.number)?.(news);
  });
  const order = (media: Order["media"]): void => port.postMessage({ media } satisfies Order);
  return async () => {
    const own = (last += 1);
    let pid: number | undefined;
    let hear: (line: string | null) => void = () => undefined;
    const ended = new Promise<string>((resolve) =>
      hearers.set(own, (news) => {
        if (news.is === "started") pid = news.pid;
        else if (news.is === "line") hear(news.line);
        else {
          hearers.delete(own);
          resolve(news.how);
        }
      }),
    );
    order({ is: "start", number: own });
    const started: MediaProcess = {
      get pid() {
        return pid;
      },
      ended,
      send: (line) => order({ is: "line", number: own, line }),
      onLine: (listener) => (hear = listener),
      kill: () => order({ is: "kill", number: own }),
    };
    return started;
  };
}

/** The media processes that Electron's main process has forked for one life of the service. */
export class MediaForks {
  readonly #fork: () => ForkedProcess;
  readonly #tell: (news: unknown) => void;
  readonly #forked = new Map<number, ForkedProcess>();

  constructor(fork: () => ForkedProcess, tell: (news: unknown) => void) {
    this.#fork = fork;
    this.#tell = tell;
  }

  /** Does what a message of the service asks for; one about something else is passed over. */
  handleMessage(message: unknown): void {
    const order = Order.safeParse(message).data?.media;
    if (order === undefined) return;
    if (order.is === "start") this.#start(order.number);
    else if (order.is === "line") this.#forked.get(order.number)?.postMessage(order.line);
    else kill(this.#forked.get(order.number));
  }

  /** Ends them all: the service is gone. */
  killAll(): void {
    for (const forked of this.#forked.values()) kill(forked);
  }

  #start(own: number): void {
    const forked = this.#fork();
    const tell = (media: News["media"]): void => this.#tell({ media } satisfies News);
    this.#forked.set(own, forked);
    forked.once("spawn", () => tell({ is: "started", number: own, pid: forked.pid! }));
    forked.on("message", (line) => tell({ is: "line", number: own, line: typeof line === "string" ? line : null }));
    forked.once("exit", (code) => {
      this.#forked.delete(own);
      tell({ is: "ended", number: own, how: `code ${code}` });
    });
  }
}

/** Electron's own `kill` asks by SIGTERM, which a process that is busy with hostile bytes need not hear. */
function kill(forked: ForkedProcess | undefined): void {
  if (forked?.pid !== undefined) process.kill(forked.pid, "SIGKILL");
  else forked?.once("spawn", () => process.kill(forked.pid!, "SIGKILL"));
}
