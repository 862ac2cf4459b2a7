// Media processes that the services of a test process use one after the other: the start of one takes as much CPU time as the start
// of four services.
import { hasLoweredPriority, usageOf } from "../../src/service/media/process-usage.ts";
import { startMediaProcess, type MediaProcess } from "../../src/service/media/process.ts";

type Line = string | null;

/** A running process, and who reads its lines. */
interface Running {
  process: MediaProcess;
  onLine: (line: Line) => void;
}

const idle: Running[] = [];
const mostIdle = 2;
const mostMemoryMb = 300;

/** Like the service's own function, but a process that its service ends between two jobs is given to the next service. */
export async function startSharedMediaProcess(): Promise<MediaProcess> {
  const running = idle.pop() ?? (await start());
  const { process } = running;
  const killed = Promise.withResolvers<string>();
  let jobs = 0;
  let isOver = false;
  return {
    pid: process.pid,
    ended: Promise.race([process.ended, killed.promise]),
    send: (line) => {
      jobs += 1;
      process.send(line);
    },
    onLine: (listener) => {
      running.onLine = (line) => {
        if (endsJob(line)) jobs -= 1;
        listener(line);
      };
    },
    kill: () => {
      if (isOver) return;
      isOver = true;
      running.onLine = () => undefined;
      if (jobs !== 0) return process.kill();
      void keep(running).then(() => killed.resolve("SIGKILL"));
    },
  };
}

/** Keeps a process without a job for the next service, or ends it. */
async function keep(running: Running): Promise<void> {
  const { process } = running;
  const usage = process.pid === undefined ? null : await usageOf(process.pid);
  const isLight = usage !== null && usage.memoryMb < mostMemoryMb && !hasLoweredPriority(process.pid!);
  if (isLight && idle.length < mostIdle) idle.push(running);
  else process.kill();
}

/** Ends the idle processes, for tests that look at processes. */
export async function endSharedMediaProcesses(): Promise<void> {
  const ending = idle.splice(0).map(({ process }) => process);
  for (const process of ending) process.kill();
  await Promise.all(ending.map(({ ended }) => ended));
}

async function start(): Promise<Running> {
  const running: Running = { process: await startMediaProcess(), onLine: () => undefined };
  running.process.onLine((line) => running.onLine(line));
  void running.process.ended.then(() => {
    const place = idle.indexOf(running);
    if (place !== -1) idle.splice(place, 1);
  });
  return running;
}

/** Whether a line is the last one of a job. What is no reply leaves the job open, so that its process is not used again. */
function endsJob(line: Line): boolean {
  try {
    return line !== null && (JSON.parse(line) as { is?: unknown }).is !== "type";
  } catch {
    return false;
  }
}
