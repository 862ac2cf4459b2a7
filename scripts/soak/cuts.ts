// The soak part `cuts`: cuts downloads in the middle. Each must continue where it was cut, by Range and If-Range, and nothing of the
// new playlist may be shown before all its files are whole.
import { temporaryFolder } from "../../test/support/folder.ts";
import { startTcpProxy, type TcpProxyOptions } from "../../test/support/network/tcp-proxy.ts";
import { isWhole, sha256Of } from "./cached-files.ts";
import { noisePicture } from "./load.ts";
import { Show } from "./show.ts";
import type { SoakPart, SoakRun } from "./soak-run.ts";

const filesAtOnce = 6;
// Four cuts of one file, with the backoff between.
const downloadLimitMs = 180_000;
// A cut loses what the player has not read from its buffers yet. The part before that is stored.
const [shortestCut, longestCut] = [500_000, 3_500_000];
const [pictureWidth, pictureHeight] = [1_000, 1_000];

export const cuts: SoakPart = {
  about: "connections cut in the middle of a download, resumed by Range and If-Range",
  unit: "cuts",
  usual: 200,
  async run(run) {
    await using folder = await temporaryFolder();
    await using cleanup = new AsyncDisposableStack();
    const watch = new CutWatch(run);
    const connect = async (url: string): Promise<string> => {
      const proxy = cleanup.use(await startTcpProxy(Number(new URL(url).port), watch));
      return `http://127.0.0.1:${proxy.port}`;
    };
    const show = cleanup.use(await Show.start(folder.path, run, { connect }));
    while (watch.cuts < run.amount) {
      const pictures = await Promise.all(Array.from({ length: filesAtOnce }, () => noisePicture(pictureWidth, pictureHeight)));
      const ids: string[] = [];
      for (const picture of pictures) ids.push(await show.api.upload("noise.png", picture));
      const hashes = pictures.map(sha256Of);
      const from = performance.now();
      await show.play(ids);
      const isShown = (): boolean => show.presented.some(({ assetId }) => ids.includes(assetId));
      const shown = run.until("the new playlist is shown", isShown, downloadLimitMs + 60_000).then(async () => {
        for (const sha256 of hashes) if (!(await isWhole(show, sha256))) run.violate(`shown before ${sha256} is whole`);
      });
      const tries = hashes.map((sha256) =>
        run.try({ cuts: watch.cuts, file: sha256.slice(0, 8) }, async () => {
          await run.until(`${sha256} is whole`, () => isWhole(show, sha256), downloadLimitMs);
          return performance.now() - from;
        }),
      );
      await Promise.all([shown, ...tries]);
    }
    run.print({ cuts: watch.cuts, resumed: watch.resumed });
    return null;
  },
};

/** Decides where downloads are cut, and checks that each one is resumed. */
class CutWatch implements TcpProxyOptions {
  cuts = 0;
  resumed = 0;
  readonly #run: SoakRun;
  /** Files whose download was cut and has not been asked for again. */
  readonly #parts = new Set<string>();

  constructor(run: SoakRun) {
    this.#run = run;
  }

  cutAfter = (sent: string): number | null => {
    const sha256 = fileOf(sent);
    if (sha256 === null) return null;
    if (this.#parts.delete(sha256)) this.#checkResumed(sent, sha256);
    return this.cuts < this.#run.amount ? this.#run.random.integer(shortestCut, longestCut) : null;
  };

  onCut = (sent: string): void => {
    this.cuts += 1;
    this.#parts.add(fileOf(sent)!);
  };

  #checkResumed(sent: string, sha256: string): void {
    const isResumed = /^range: bytes=[1-9]\d*-\r$/im.test(sent) && new RegExp(`^if-range: "${sha256}"\r$`, "im").test(sent);
    if (isResumed) this.resumed += 1;
    else this.#run.violate(`the download of ${sha256} began again`);
  }
}

/** The file that a request asks for; null if it is another request. */
function fileOf(request: string): string | null {
  return /^GET \/api\/v1\/device\/assets\/([0-9a-f]{64})/.exec(request)?.[1] ?? null;
}
