// A real Chromium with the built page and generated media, for the tests of one file.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium as playwright, type Page } from "playwright";
import { DrivenTime, drivenSwitches, openDriven } from "../support/browser/driven-page.ts";
import { withoutInterface } from "../support/browser/light-chromium.ts";
import { type PageServer, startPageServer } from "../support/browser/page-server.ts";
import { createWithFfmpeg, hexOf, plainImage } from "../support/media/media.ts";
import { builtRenderer } from "../support/page-build.ts";
import { type ColorName, colors } from "./screen.ts";

export interface TestBrowser extends AsyncDisposable {
  chromium: Browser;
  /** Holds the media of this file's tests, which may add their own. */
  mediaFolder: string;
  /** Folder with the built page in `player`. */
  rendererFolder: string;
  /**
   * Opens a new document with its own page server, whose time and frames the test drives. A later test of the file gets a new document in
   * the same page, so whoever changes settings of the page itself takes that back.
   */
  openDriven(width?: number, height?: number): Promise<DrivenPage>;
  /** The same for a page that runs by itself, in the time of this machine. */
  open(width?: number, height?: number): Promise<OpenedPage>;
  /** The page that tests share if earlier content cannot affect them. Its list of messages is emptied. */
  shared(width?: number, height?: number): Promise<OpenedPage>;
}

export interface OpenedPage extends AsyncDisposable {
  page: Page;
  server: PageServer;
}

/** A page in which nothing moves but by `time` (`driven-page.ts`). */
export interface DrivenPage extends OpenedPage {
  time: DrivenTime;
}

/**
 * Writes the standard media into a new folder. The files of a worker share its browsers.
 * @param env what the environment of the browser has besides; for that a browser of its own is started.
 */
export async function startTestBrowser(env?: Record<string, string>): Promise<TestBrowser> {
  const mediaFolder = await mkdtemp(join(tmpdir(), "signage-page-"));
  const own = env === undefined ? undefined : launch("free", env);
  const [rendererFolder, chromium] = await Promise.all([builtRenderer(), own ?? browserOfWorker("free"), writeStandardMedia(mediaFolder)]);
  const freePages = new PagePool(async (width, height) => ({ page: await chromium.newPage({ viewport: { width, height } }) }));
  const drivenPages = new PagePool(async (width, height) => {
    const page = await openDriven(await browserOfWorker("driven"), width, height);
    return { page, time: await DrivenTime.of(page) };
  });
  const open = async (width = 960, height = 540): Promise<OpenedPage> => {
    const { page, giveBack } = await freePages.take(width, height);
    const server = await startPageServer(mediaFolder, rendererFolder);
    await page.goto(server.url);
    await server.waitForMessage("hello");
    return {
      page,
      server,
      async [Symbol.asyncDispose]() {
        await page.goto("about:blank");
        await giveBack();
        await server[Symbol.asyncDispose]();
      },
    };
  };
  const sharedPages = new Map<string, Promise<OpenedPage>>();
  return {
    chromium,
    mediaFolder,
    rendererFolder,
    open,
    async openDriven(width = 960, height = 540) {
      const { page, time, giveBack } = await drivenPages.take(width, height);
      const server = await startPageServer(mediaFolder, rendererFolder, time);
      await time.open(server);
      return {
        page,
        server,
        time,
        async [Symbol.asyncDispose]() {
          // Its time stands still until the next test opens its own document in it.
          await giveBack();
          await server[Symbol.asyncDispose]();
        },
      };
    },
    async shared(width = 960, height = 540) {
      const size = `${width}x${height}`;
      const opening = sharedPages.get(size) ?? open(width, height);
      sharedPages.set(size, opening);
      const opened = await opening;
      opened.server.messages.length = 0;
      return opened;
    },
    async [Symbol.asyncDispose]() {
      for (const opening of sharedPages.values()) await (await opening)[Symbol.asyncDispose]();
      await Promise.all([freePages[Symbol.asyncDispose](), drivenPages[Symbol.asyncDispose]()]);
      await (await own)?.close();
      await rm(mediaFolder, { recursive: true, force: true });
    },
  };
}

/** The pages of one file. A new document in a page of an earlier test takes half as long as a new page, which needs a process of its own. */
class PagePool<T extends { page: Page }> implements AsyncDisposable {
  readonly #create: (width: number, height: number) => Promise<T>;
  readonly #all: T[] = [];
  readonly #unused = new Map<string, T[]>();

  constructor(create: (width: number, height: number) => Promise<T>) {
    this.#create = create;
  }

  /** A page of this size that no test uses; `giveBack` when the test is over. */
  async take(width: number, height: number): Promise<T & { giveBack: () => Promise<void> }> {
    const unused = this.#unused.get(`${width}x${height}`) ?? [];
    this.#unused.set(`${width}x${height}`, unused);
    const taken = unused.pop() ?? (await this.#open(width, height));
    const giveBack = async (): Promise<void> => {
      await taken.page.unrouteAll({ behavior: "ignoreErrors" });
      unused.push(taken);
    };
    return { ...taken, giveBack };
  }

  async #open(width: number, height: number): Promise<T> {
    const opened = await this.#create(width, height);
    this.#all.push(opened);
    return opened;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#all.map(({ page }) => page.context().close()));
  }
}

/** With the switches of driven frames no page draws a frame by itself, so there are two kinds. */
type BrowserKind = "driven" | "free";

const launching = new Map<BrowserKind, Promise<Browser>>();

/** The browser of this worker for one kind of page. Playwright closes it when the worker ends. */
function browserOfWorker(kind: BrowserKind): Promise<Browser> {
  const running = launching.get(kind) ?? launch(kind);
  launching.set(kind, running);
  return running;
}

function launch(kind: BrowserKind, env: Record<string, string> = {}): Promise<Browser> {
  const common = ["--no-sandbox", "--autoplay-policy=no-user-gesture-required", "--disable-gpu"];
  return playwright.launch({
    executablePath: "/usr/lib/chromium/chromium-headless-shell",
    args: [...common, ...(kind === "driven" ? drivenSwitches : [withoutInterface])],
    env: { ...process.env, ...env },
  });
}

async function writeStandardMedia(folder: string): Promise<void> {
  const put = async (name: string, bytes: string | Promise<Buffer>): Promise<void> => writeFile(join(folder, name), await bytes);
  await Promise.all([
    ...Object.entries(colors).map(([name, rgb]) => put(`${name}.png`, plainImage(rgb))),
    put("blue.mp4", videoOf(["blue"], 5)),
    put("green.mp4", videoOf(["green"], 2)),
    // Two seconds each: the colour shows the position in the video.
    put("steps.mp4", videoOf(["red", "yellow", "magenta"], 2)),
    put("broken.mp4", "this is no video"),
    put("broken.png", "this is no picture"),
  ]);
}

/** A video that shows each colour for `seconds`. */
function videoOf(names: readonly ColorName[], seconds: number): Promise<Buffer> {
  const inputs = names.flatMap((name) => ["-f", "lavfi", "-i", `color=c=0x${hexOf(colors[name])}:s=640x360:r=30:d=${seconds}`]);
  const concat = ["-filter_complex", `concat=n=${names.length}:v=1[v]`, "-map", "[v]"];
  const encoding = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "15", "-movflags", "+faststart"];
  return createWithFfmpeg([...inputs, ...concat, ...encoding], "mp4");
}
