// What the command line and the status of a Chromium process tell about it.
import { browserProcesses, type HostFixture } from "../hosts-under-test.ts";

/** Facts about the browser's main process. */
export interface BrowserFacts {
  /** The folder of its caches and temporary files. */
  cacheFolder: string;
  /** The largest size of each cache. */
  cacheBytes: number;
  pid: number;
  /** The user that it runs as. */
  uid: number;
  /** Its command line's words. */
  words: string[];
}

/** Reads the facts of the browser that runs. */
export async function browserFacts(fixture: HostFixture): Promise<BrowserFacts> {
  const [browser] = await browserProcesses(fixture, "");
  const { pid, commandLine, status } = browser!;
  const words = commandLine.split(/[\0 ]/);
  const flag = (name: string): string => words.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? "";
  const uid = Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]);
  return { cacheFolder: flag("disk-cache-dir"), cacheBytes: Number(flag("disk-cache-size")), pid, uid, words };
}
