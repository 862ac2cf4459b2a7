// A slow and lossy line between this machine and a network namespace. Two TUN devices are its ends, and a program between them passes
// each IP packet on after a delay, or loses it. So handshakes, acknowledgements and retransmissions are late and lost too.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const run = promisify(execFile);

export const slowLine = { delayMs: 200, lossPercent: 1 };

// In Python, because Node cannot create a TUN device (ioctl). It ends when its input ends, and its devices and their routes with it.
const forwarder = `
import collections, fcntl, json, os, random, select, struct, sys, time

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
delay, loss = float(sys.argv[3]) / 1000, float(sys.argv[4]) / 100

def create(name):
    device = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    return device

near, far = create(sys.argv[1]), create(sys.argv[2])
other = {near: far, far: near}
waiting = collections.deque()
passed = lost = 0
print("ready", flush=True)
os.read(0, 1)  # a device that is not up accepts no packets
while True:
    limit = max(0, waiting[0][0] - time.monotonic()) if waiting else None
    readable, _, _ = select.select([near, far, 0], [], [], limit)
    if 0 in readable:
        break
    for device in readable:
        packet = os.read(device, 65535)
        if random.random() < loss:
            lost += 1
        else:
            waiting.append((time.monotonic() + delay, other[device], packet))
    while waiting and waiting[0][0] <= time.monotonic():
        _, device, packet = waiting.popleft()
        os.write(device, packet)
        passed += 1
print(json.dumps({"passed": passed, "lost": lost}), flush=True)
`;

export interface LineEnds {
  /** The namespace of the far end. */
  namespace: string;
  /** The first characters of the names of the devices. */
  prefix: string;
  nearAddress: string;
  farAddress: string;
}

export class SlowLine implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #output: AsyncIterator<string>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#output = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  }

  /** Moves all packets between the two addresses to a new slow line, until it ends. @throws Error if this machine has no Python or TUN. */
  static async start({ namespace, prefix, nearAddress, farAddress }: LineEnds): Promise<SlowLine> {
    const [near, far] = [`${prefix}c`, `${prefix}d`];
    const { delayMs, lossPercent } = slowLine;
    const child = spawn("python3", ["-c", forwarder, near, far, String(delayMs), String(lossPercent)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    await once(child, "spawn");
    const line = new SlowLine(child);
    try {
      if ((await line.#output.next()).value !== "ready") throw new Error("no TUN devices");
      const inside = ["netns", "exec", namespace, "ip"];
      await run("ip", ["link", "set", far, "netns", namespace]);
      await run("ip", ["link", "set", near, "up"]);
      await run("ip", [...inside, "link", "set", far, "up"]);
      // More exact than the routes of the usual line, so they come first.
      await run("ip", [...inside, "route", "add", `${nearAddress}/32`, "dev", far, "src", farAddress]);
      await run("ip", ["route", "add", `${farAddress}/32`, "dev", near, "src", nearAddress]);
      child.stdin.write("\n");
      return line;
    } catch (error) {
      await line[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Ends the line. @returns how many packets it passed on, and how many it lost. */
  async end(): Promise<{ passed: number; lost: number }> {
    this.#child.stdin!.end();
    const { value } = await this.#output.next();
    await this[Symbol.asyncDispose]();
    return JSON.parse(String(value)) as { passed: number; lost: number };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
  }
}
