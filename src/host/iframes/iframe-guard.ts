// Controls the page's iframes of other sites: which may load, with which headers, and which of their events are reported.
import type { Protocol } from "devtools-protocol";
import type { Clock } from "../../base/clock.ts";
import { isFault } from "../../base/fault.ts";
import type { IframeSite, IframeEvent } from "../../player/host.ts";
import type { DevTools } from "../chromium/pipe.ts";
import { responseFailure } from "./document-response.ts";
import { forbidsFraming, originOf, requestHeaders, withoutFramingRules } from "./headers.ts";
import { Iframe } from "./iframe.ts";
import { defaultLimits, type IframeLimits } from "./limits.ts";
import { ProcessEnds } from "./process-ends.ts";

export interface IframeGuardOptions {
  /** The page's own session, and DevTools' id of its main frame. */
  page: { session: DevTools; frameId: string };
  /** The session of an attached target. */
  sessionOf: (id: string) => DevTools;
  clock: Clock;
  limits?: Partial<IframeLimits> | undefined;
  onEvent: (event: IframeEvent) => void;
  /** Called for the log when something was prevented. The address is reduced to its origin. */
  onBlocked: (what: string, origin: string) => void;
  /** Why the host of an address could not be connected to, if known. */
  connectionErrorOf: (url: string) => string | null;
  /** Aborts when the browser has exited. */
  signal: AbortSignal;
}

type PausedRequest = Protocol.Fetch.RequestPausedEvent;

// A new iframe must not run before it is watched, so the browser starts new targets paused. Chromium then also pauses workers, even
// if a filter excludes them. So this attaches to all targets, and lets all but iframes continue immediately.
const attachment = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter: [{}] };
const documents = [
  { urlPattern: "*", resourceType: "Document", requestStage: "Request" },
  { urlPattern: "*", resourceType: "Document", requestStage: "Response" },
] as const;
// Every request of an iframe is intercepted: to add the site's headers, and to prevent password dialogs.
const everything = [{ urlPattern: "*" }, documents[1]] as const;
// A document is read completely to remove its framing rules. The iframe's own deadline handles slow ones.
const bodyLimitMs = 60_000;

/** Guards the iframes of a page for as long as the browser runs. */
export class IframeGuard {
  readonly #options: IframeGuardOptions;
  readonly #iframes = new Map<string, Iframe>();
  readonly #processEnds: ProcessEnds;
  #sites = new Map<string, IframeSite>();
  #pageHost = "";
  #pageOrigin = "";

  private constructor(options: IframeGuardOptions) {
    this.#options = options;
    this.#processEnds = new ProcessEnds(options.clock);
  }

  /** Starts to guard the page's iframes. Call it before the page shows anything. */
  static async watch(options: IframeGuardOptions): Promise<IframeGuard> {
    const guard = new IframeGuard(options);
    const { page, signal } = options;
    const onPage = (url: string): void => {
      guard.#pageOrigin = originOf(url);
      guard.#pageHost = URL.canParse(url) ? new URL(url).hostname : "";
      for (const id of guard.#iframes.keys()) guard.#end(id);
    };
    page.session.on("Page.frameNavigated", ({ frame }) => frame.id === page.frameId && onPage(frame.url), signal);
    page.session.on("Page.frameDetached", ({ frameId, reason }) => reason === "remove" && guard.#end(frameId), signal);
    guard.#listen(page.session, null, signal);
    await guard.watchAgain();
    return guard;
  }

  /** Asks the browser to report the page's iframes: initially, and again when a new document may have ended the reports. */
  async watchAgain(): Promise<void> {
    const { session } = this.#options.page;
    await Promise.all([
      session.send("Fetch.enable", { patterns: [...documents], handleAuthRequests: true }),
      session.send("Target.setAutoAttach", attachment),
    ]);
  }

  /** Sets the sites that iframes may show. Existing iframes keep theirs. */
  allowSites(sites: readonly IframeSite[]): void {
    this.#sites = new Map(sites.map((site) => [site.id, site]));
  }

  /** @param owner the iframe whose process the session belongs to; null for the page and for nested iframes. */
  #listen(session: DevTools, owner: Iframe | null, signal: AbortSignal): void {
    session.on("Fetch.requestPaused", (event) => void this.#onPaused(session, owner, event), signal);
    // Password requests are always cancelled. A site's own password is sent in its headers.
    session.on(
      "Fetch.authRequired",
      ({ requestId, request }) => {
        const reply = { requestId, authChallengeResponse: { response: "CancelAuth" } } as const;
        this.#logIfGone(session.send("Fetch.continueWithAuth", reply, { signal }), "a password dialog", request.url);
      },
      signal,
    );
    session.on(
      "Target.attachedToTarget",
      ({ sessionId, targetInfo: { type, targetId, url } }) => {
        if (type === "iframe") return this.#onAttached(sessionId, targetId);
        // A worker.
        const resume = this.#options.sessionOf(sessionId).send("Runtime.runIfWaitingForDebugger", {}, { signal: this.#options.signal });
        this.#logIfGone(resume, "a worker", url);
      },
      signal,
    );
    session.on("Target.detachedFromTarget", ({ targetId }) => targetId !== undefined && this.#end(targetId), signal);
  }

  #onAttached(sessionId: string, frameId: string): void {
    const { sessionOf, signal: lifetime, onBlocked } = this.#options;
    const iframe = this.#iframes.get(frameId) ?? null;
    const session = sessionOf(sessionId);
    const signal = iframe === null ? lifetime : AbortSignal.any([lifetime, iframe.signal]);
    this.#listen(session, iframe, signal);
    const calls = [
      session.send("Fetch.enable", { patterns: [...everything], handleAuthRequests: true }, { signal }),
      session.send("Target.setAutoAttach", attachment, { signal }),
      iframe === null ? session.send("Runtime.runIfWaitingForDebugger", {}, { signal }) : iframe.watch(session),
    ];
    Promise.all(calls).catch(async (error: unknown) => {
      // The process was already hanging before this iframe was loaded into it.
      if (isFault(error, "timeout") && iframe !== null)
        return await iframe.endProcess(session, "stalled", "did not respond when it was loaded");
      if (!signal.aborted) onBlocked("an iframe was gone before it could be watched", originOf(iframe?.site.url ?? ""));
    });
  }

  async #onPaused(session: DevTools, owner: Iframe | null, event: PausedRequest): Promise<void> {
    const { page, onBlocked, signal } = this.#options;
    const { requestId, frameId, request } = event;
    try {
      if (frameId === page.frameId) return await proceed(session, requestId);
      const iframe = owner ?? (session === page.session ? await this.#iframeOf(frameId) : null);
      const rejection = this.#rejectionOf(iframe, session === page.session, event);
      if (rejection !== null) {
        onBlocked(`an iframe's request: ${rejection}`, originOf(request.url));
        if (iframe?.id === frameId) iframe.fail("load", rejection);
        await session.send("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" });
      } else if (hasResponse(event)) {
        await this.#onResponse(session, iframe, event);
      } else {
        const headers = iframe === null ? null : requestHeaders(iframe.site, request.url, request.headers);
        await session.send("Fetch.continueRequest", headers === null ? { requestId } : { requestId, headers });
      }
    } catch {
      // The iframe was removed, and its request with it.
      if (!signal.aborted) onBlocked("a request was gone before the reply", originOf(request.url));
    }
  }

  /** Why a request is rejected; null when it is allowed. The page's own host is never framed, not even by a redirect. */
  #rejectionOf(iframe: Iframe | null, isOfPage: boolean, { request, resourceType, frameId }: PausedRequest): string | null {
    const isDocument = resourceType === "Document";
    if (isOfPage && iframe === null) return "no such site was declared";
    if (isDocument && URL.canParse(request.url) && new URL(request.url).hostname === this.#pageHost)
      return "it leads to the screen's own page, which is never framed";
    if (!isOfPage && originOf(request.url) === this.#pageOrigin) return "it is a request to the screen's own page";
    const leavesOrigin = iframe !== null && originOf(request.url) !== originOf(iframe.site.url);
    return isDocument && leavesOrigin && iframe.site.isConfinedToOrigin && iframe.id === frameId ? "it leaves its own origin" : null;
  }

  /** Examines the response to a document's request before the browser does. */
  async #onResponse(session: DevTools, iframe: Iframe | null, event: PausedRequest): Promise<void> {
    const { requestId, frameId, request, responseStatusCode: status = 0, responseHeaders = [] } = event;
    if (iframe === null || iframe.id !== frameId) return await proceed(session, requestId);
    const failure = responseFailure(event, this.#options.connectionErrorOf(request.url));
    if (failure !== null) {
      iframe.fail("load", failure);
      return await proceed(session, requestId);
    }
    const isOfSite = originOf(request.url) === originOf(iframe.site.url);
    if (!isOfSite || status >= 300 || !forbidsFraming(responseHeaders)) return await proceed(session, requestId);
    // The browser checks the framing rules before it applies changed headers, so the whole response has to be replaced.
    const options = { deadlineMs: bodyLimitMs, signal: iframe.signal };
    const { body, base64Encoded } = await session.send("Fetch.getResponseBody", { requestId }, options);
    const headers = withoutFramingRules(responseHeaders).filter(
      ({ name }) => !/^(content-encoding|content-length|transfer-encoding)$/i.test(name),
    );
    const bytes = base64Encoded ? body : Buffer.from(body).toString("base64");
    await session.send("Fetch.fulfillRequest", { requestId, responseCode: status, responseHeaders: headers, body: bytes });
  }

  /** The iframe with this id. One not known yet is found by its name in the page: the id of its site, a dot and a suffix. */
  async #iframeOf(id: string): Promise<Iframe | null> {
    const existing = this.#iframes.get(id);
    if (existing !== undefined) return existing;
    const { page, clock, limits: ownLimits, onEvent, signal } = this.#options;
    const { frameTree } = await page.session.send("Page.getFrameTree", {}, { signal });
    const name = frameTree.childFrames?.find(({ frame }) => frame.id === id)?.frame.name ?? "";
    const site = this.#sites.get(name.replace(/\.[^.]*$/, ""));
    if (site === undefined) return null;
    const limits = { ...defaultLimits, ...ownLimits };
    const iframe = new Iframe({ id, name, site, clock, limits, processEnds: this.#processEnds, onEvent });
    this.#iframes.set(id, iframe);
    return iframe;
  }

  /** Logs a call that failed because its target has ended. */
  #logIfGone(call: Promise<unknown>, what: string, url: string): void {
    const { signal, onBlocked } = this.#options;
    call.catch(() => {
      if (!signal.aborted) onBlocked(`${what} was gone before the reply`, originOf(url));
    });
  }

  #end(frameId: string): void {
    this.#iframes.get(frameId)?.end();
    this.#iframes.delete(frameId);
  }
}

async function proceed(session: DevTools, requestId: string): Promise<void> {
  await session.send("Fetch.continueRequest", { requestId });
}

function hasResponse({ responseStatusCode, responseErrorReason }: PausedRequest): boolean {
  return responseStatusCode !== undefined || responseErrorReason !== undefined;
}
