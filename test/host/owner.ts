// A program that owns a browser and that a test kills. It is configured by a message: {executable, profileFolder, page}.
import { silentLog } from "../../src/base/log.ts";
import { createChromiumHost } from "../../src/host/chromium/host.ts";
import type { HostPage } from "../../src/player/host.ts";
import { HeldClock } from "./held-clock.ts";

interface Task {
  executable: string;
  profileFolder: string;
  page: HostPage;
}

process.once("message", (task: Task) => {
  const host = createChromiumHost({
    executable: task.executable,
    profileFolder: task.profileFolder,
    display: { headless: true, window: null },
    env: process.env,
    log: silentLog,
    clock: new HeldClock(),
  });
  void host.open(task.page, new AbortController().signal).then((engine) => process.send!(engine));
});
