// The frames of the page that show other sites: which may load, with which headers, and what becomes of them.
import type { Protocol } from "devtools-protocol";
import type { Clock } from "../../base/clock.ts";
import { isFault } from "../../base/fault.ts";
import type { IframeSite, IframeEvent } from "../../player/host.ts";
import type { DevTools } from "../chromium/pipe.ts";
import { ProcessEnds } from "./process-ends.ts";
import { defaultLimits, Iframe, type IframeLimits } from "./iframe.ts";
import { forbidsFraming, originOf, requestHeaders, withoutFramingRules } from "./headers.ts";

/** What watching the frames needs of the browser around them. */
export interface IframeGuardOptions {
  /** The page's own session. */
  page: DevTools;
  /** DevTools' id of the page's main frame. */
  pageFrameId: string;
  /** The session of an attached target. */
  sessionOf: (id: string) => DevTools;
  clock: Clock;
  limits?: Partial<IframeLimits> | undefined;
  onReport: (news: IframeEvent) => void;
  /** Something was kept from happening; for the log. The address is cut to its origin. */
  onBlocked: (what: string, origin: string) => void;
  /** Why the host of an address could not be connected to, where that is known. */
  connectionErrorOf: (url: string) => string | null;
  /** Ends with the browser. */
  signal: AbortSignal;
}

type Paused = Protocol.Fetch.RequestPausedEvent;
type Fate = { is: "let" } | { is: "refuse"; reason: string };

// Frames are to wait until they are watched. Chromium has every worker wait with them, also where a filter leaves workers
// out; nobody could then tell them to go on: so all are attached to, and whatever is no frame goes on at once.
const attachment = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter: [{}] };
const documents = [
  { urlPattern: "*", resourceType: "Document", requestStage: "Request" },
  { urlPattern: "*", resourceType: "Document", requestStage: "Response" },
] as const;
// In a frame every request is seen: for the site's headers, and so that no password dialog comes up.
const everything = [{ urlPattern: "*" }, documents[1]] as const;
// A document is read whole to be freed of its framing rules; a slow one has the frame's own deadline.
const bodyLimitMs = 60_000;
// What Chromium shows in a frame; it takes everything else for a download, and then nothing more comes of the frame.
const displayable = /^\s*(text|image|audio|video|multipart)\/|^\s*application\/([\w.-]+\+)?(xml|json|javascript|x-javascript|pdf|ogg)\b/i;

/** The sites that the page frames, for as long as the browser runs. */
export class IframeGuard {
  readonly #options: IframeGuardOptions;
  readonly #frames = new Map<string, Iframe>();
  readonly #endings: ProcessEnds;
  #sites = new Map<string, IframeSite>();
  #pageHost = "";
  #pageOrigin = "";

  private constructor(options: IframeGuardOptions) {
    this.#options = options;
    this.#endings = new ProcessEnds(options.clock);
  }

  /** Takes the page's frames over, before it shows anything. */
  static async watch(options: IframeGuardOptions): Promise<IframeGuard> {
    const sites = new IframeGuard(options);
    const { page, pageFrameId, signal } = options;
    page.on(
      "Page.frameNavigated",
      ({ frame }) => {
        if (frame.id !== pageFrameId) return;
        sites.#pageOrigin = originOf(frame.url);
        sites.#pageHost = URL.canParse(frame.url) ? new URL(frame.url).hostname : "";
        sites.#endAll();
      },
      signal,
    );
    page.on("Page.frameDetached", ({ frameId, reason }) => reason === "remove" && sites.#end(frameId), signal);
    sites.#listen(page, null, signal);
    await sites.watchAgain();
    return sites;
  }

  /** Asks the browser to report the page's frames: at first, and again where a new document may have made it forget. */
  async watchAgain(): Promise<void> {
    const { page } = this.#options;
    await Promise.all([
      page.send("Fetch.enable", { patterns: [...documents], handleAuthRequests: true }),
      page.send("Target.setAutoAttach", attachment),
    ]);
  }

  /** Says which sites may be framed. Frames that are there keep what they began with. */
  allowSites(sites: readonly IframeSite[]): void {
    this.#sites = new Map(sites.map((site) => [site.id, site]));
  }

  /** @param owner the frame whose process this session is of; null for the page and for frames within frames. */
  #listen(session: DevTools, owner: Iframe | null, signal: AbortSignal): void {
    session.on("Fetch.requestPaused", (paused) => void this.#onPaused(session, owner, paused), signal);
    // Whatever asks for a password gets none: the site's own goes out unasked, in its headers.
    session.on(
      "Fetch.authRequired",
      ({ requestId, request }) =>
        this.#tell(
          session.send("Fetch.continueWithAuth", { requestId, authChallengeResponse: { response: "CancelAuth" } }, { signal }),
          request.url,
        ),
      signal,
    );
    session.on(
      "Target.attachedToTarget",
      ({ sessionId, targetInfo }) => {
        if (targetInfo.type === "iframe") this.#onAttached(sessionId, targetInfo.targetId);
        else this.#letWork(sessionId, targetInfo.url);
      },
      signal,
    );
    session.on("Target.detachedFromTarget", ({ targetId }) => targetId !== undefined && this.#end(targetId), signal);
  }

  #onAttached(sessionId: string, frameId: string): void {
    const { sessionOf, signal: life, onBlocked } = this.#options;
    const frame = this.#frames.get(frameId) ?? null;
    const session = sessionOf(sessionId);
    const signal = frame === null ? life : AbortSignal.any([life, frame.signal]);
    this.#listen(session, frame, signal);
    const guarded = [
      session.send("Fetch.enable", { patterns: [...everything], handleAuthRequests: true }, { signal }),
      session.send("Target.setAutoAttach", attachment, { signal }),
      frame === null ? session.send("Runtime.runIfWaitingForDebugger", {}, { signal }) : frame.watch(session),
    ];
    Promise.all(guarded).catch(async (error: unknown) => {
      // A process that hangs since before this frame came to it.
      if (isFault(error, "timeout") && frame !== null)
        return await frame.endProcess(session, "stalled", "did not answer when it was loaded");
      if (!signal.aborted) onBlocked("a frame that was gone before it could be watched", originOf(frame?.site.url ?? ""));
    });
  }

  /** Has a worker go on. */
  #letWork(sessionId: string, url: string): void {
    const { sessionOf, signal, onBlocked } = this.#options;
    sessionOf(sessionId)
      .send("Runtime.runIfWaitingForDebugger", {}, { signal })
      .catch(() => {
        if (!signal.aborted) onBlocked("a worker that was gone before it began", originOf(url));
      });
  }

  async #onPaused(session: DevTools, owner: Iframe | null, paused: Paused): Promise<void> {
    const { page, pageFrameId } = this.#options;
    const { requestId, frameId, request } = paused;
    try {
      if (frameId === pageFrameId) return await this.#let(session, requestId);
      const frame = owner ?? (session === page ? await this.#frameOf(frameId) : null);
      const fate = this.#fateOf(frame, session === page, paused);
      if (fate.is === "refuse") {
        this.#options.onBlocked(`a frame's request: ${fate.reason}`, originOf(request.url));
        if (frame?.id === frameId) frame.fail("load", fate.reason);
        await session.send("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" });
      } else if (isAnswer(paused)) {
        await this.#answer(session, frame, paused);
      } else {
        const headers = frame === null ? null : requestHeaders(frame.site, request.url, request.headers);
        await session.send("Fetch.continueRequest", headers === null ? { requestId } : { requestId, headers });
      }
    } catch {
      // The frame is gone, and its request with it.
      if (!this.#options.signal.aborted) this.#options.onBlocked("a request that was gone before it was answered", originOf(request.url));
    }
  }

  /** Whether a request may go on. The page's own host is never framed, by whatever detour. */
  #fateOf(frame: Iframe | null, isOfPage: boolean, { request, resourceType, frameId }: Paused): Fate {
    const isDocument = resourceType === "Document";
    if (isOfPage && frame === null) return { is: "refuse", reason: "no such site was declared" };
    if (isDocument && URL.canParse(request.url) && new URL(request.url).hostname === this.#pageHost) {
      return { is: "refuse", reason: "it leads to the player itself, which is never framed" };
    }
    if (!isOfPage && originOf(request.url) === this.#pageOrigin) return { is: "refuse", reason: "it asks the player itself" };
    if (
      frame?.site.isConfinedToOrigin === true &&
      isDocument &&
      frame.id === frameId &&
      originOf(request.url) !== originOf(frame.site.url)
    ) {
      return { is: "refuse", reason: "it leaves its own origin" };
    }
    return { is: "let" };
  }

  /** Looks at a document's answer before the browser does. */
  async #answer(session: DevTools, frame: Iframe | null, paused: Paused): Promise<void> {
    const { requestId, frameId, request, responseStatusCode: status = 0, responseErrorReason, responseHeaders = [] } = paused;
    if (frame === null || frame.id !== frameId) return await this.#let(session, requestId);
    if (responseErrorReason !== undefined)
      frame.fail("load", this.#options.connectionErrorOf(request.url) ?? networkReason(responseErrorReason, request.url));
    else if (status >= 400 || status === 204 || status === 205) frame.fail("load", `it answered HTTP ${status}`);
    else if (isDownload(responseHeaders)) frame.fail("load", "it is a download, not a page");
    else if (originOf(request.url) === originOf(frame.site.url) && status < 300 && forbidsFraming(responseHeaders)) {
      // Changed headers of a continued answer come too late for the browser's own check: it has to be given anew.
      const { body, base64Encoded } = await session.send(
        "Fetch.getResponseBody",
        { requestId },
        { deadlineMs: bodyLimitMs, signal: frame.signal },
      );
      const bytes = base64Encoded ? body : Buffer.from(body).toString("base64");
      const headers = withoutFramingRules(responseHeaders).filter(
        ({ name }) => !/^(content-encoding|content-length|transfer-encoding)$/i.test(name),
      );
      await session.send("Fetch.fulfillRequest", { requestId, responseCode: status, responseHeaders: headers, body: bytes });
      return;
    }
    await this.#let(session, requestId);
  }

  /** The frame of this id; one seen for the first time is looked up by its name in the page. */
  async #frameOf(frameId: string): Promise<Iframe | null> {
    const known = this.#frames.get(frameId);
    if (known !== undefined) return known;
    const { page, clock, limits, onReport: onNews, signal } = this.#options;
    const { frameTree } = await page.send("Page.getFrameTree", {}, { signal });
    const name = frameTree.childFrames?.find(({ frame }) => frame.id === frameId)?.frame.name ?? "";
    const site = this.#sites.get(name.replace(/\.[^.]*$/, ""));
    if (site === undefined) return null;
    const frame = new Iframe({
      id: frameId,
      name,
      site,
      clock,
      limits: { ...defaultLimits, ...limits },
      processEnds: this.#endings,
      onReport: onNews,
    });
    this.#frames.set(frameId, frame);
    return frame;
  }

  async #let(session: DevTools, requestId: string): Promise<void> {
    await session.send("Fetch.continueRequest", { requestId });
  }

  #tell(sent: Promise<unknown>, url: string): void {
    sent.catch(() => {
      if (!this.#options.signal.aborted) this.#options.onBlocked("a password dialog that was gone before it was answered", originOf(url));
    });
  }

  #end(frameId: string): void {
    this.#frames.get(frameId)?.end();
    this.#frames.delete(frameId);
  }

  #endAll(): void {
    for (const id of this.#frames.keys()) this.#end(id);
  }
}

function isAnswer({ responseStatusCode, responseErrorReason }: Paused): boolean {
  return responseStatusCode !== undefined || responseErrorReason !== undefined;
}

function isDownload(headers: readonly { name: string; value: string }[]): boolean {
  return headers.some(
    ({ name, value }) =>
      (/^content-disposition$/i.test(name) && /^\s*attachment/i.test(value)) ||
      (/^content-type$/i.test(name) && /\S/.test(value) && !displayable.test(value)),
  );
}

const networkReasons: Partial<Record<Protocol.Network.ErrorReason, string>> = {
  NameNotResolved: "its name cannot be resolved: check the address, and DNS",
  ConnectionRefused: "its server does not take the connection",
  ConnectionReset: "its server does not take the connection",
  ConnectionClosed: "its server does not take the connection",
  ConnectionAborted: "its server does not take the connection",
  TimedOut: "its server does not answer in time",
  InternetDisconnected: "there is no way to it: check the network",
  AddressUnreachable: "there is no way to it: check the network",
};

/** DevTools' word for what went wrong, in words that say what to do. */
function networkReason(reason: Protocol.Network.ErrorReason, url: string): string {
  // Whatever is wrong with TLS comes as this.
  if (reason === "Failed" && url.startsWith("https:")) {
    return "no secure connection to it: its certificate may not be trusted. Check the address, the box's clock, or install the network's CA";
  }
  return networkReasons[reason] ?? `the browser could not fetch it (${reason})`;
}
