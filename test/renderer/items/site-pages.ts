// The pages that the tests of web items show: well-behaved, hostile and broken ones.
import { createSystemClock } from "../../../src/base/clock.ts";
import { colouredPage, type RouteHandler } from "../../support/network/web-server.ts";

// A loop hangs its page in the same way when each round waits for an answer, and leaves the processor to others.
const loopMs = 50;
const waitsInLoop = "{ const request = new XMLHttpRequest(); request.open('GET', '/later', false); request.send(); }";
const clock = createSystemClock();

/** A page that is green in its upper left quarter and blue elsewhere. */
export const quartered = colouredPage("rgb(0,0,200)", "<div style='position:fixed;inset:0 50% 50% 0;background:rgb(0,160,0)'></div>");

/** The pages by path. @param isDown whether /counts answers with an error; else it is green and blue in turns */
export function sitePages(isDown: () => boolean): Record<string, RouteHandler> {
  let loads = 0;
  return {
    "/green": colouredPage("rgb(0,160,0)"),
    "/blue": colouredPage("rgb(0,0,200)"),
    "/quarters": quartered,
    "/loops": colouredPage("rgb(0,160,0)", `<script>setTimeout(() => { for (;;) ${waitsInLoop} }, 500)</script>`),
    "/later": (_request, response) => void clock.wait(loopMs).then(() => response.end()),
    "/counts": (_request, response) => {
      if (isDown()) return void response.writeHead(503).end("down");
      loads += 1;
      response.writeHead(200, { "content-type": "text/html" }).end(colouredPage(loads % 2 === 1 ? "rgb(0,160,0)" : "rgb(0,0,200)"));
    },
    "/hostile": colouredPage(
      "rgb(0,160,0)",
      `<a id=download href="data:application/zip,x" download=x.zip></a><script>
      // One after the other: requests that are under way together may arrive in any order.
      const report = (what, how) => fetch('/report?' + what + '=' + how);
      onload = async () => {
        await report('dialogs', [alert('a'), confirm('b'), prompt('c')].join());
        await report('popup', open('/blue') === null);
        document.querySelector('#download').click();
        await report('permission', await Notification.requestPermission());
        try { top.location = '/blue'; await report('top', 'went') } catch (error) { await report('top', error.name) }
        try { await report('reads', parent.document.title) } catch (error) { await report('reads', error.name) }
        await report('cookie', document.cookie === '' ? 'none' : document.cookie);
        await report('done', 'yes');
      };
    </script>`,
    ),
    "/works":
      "<!doctype html><body><script>new Worker('/worker.js').onmessage = ({ data }) => { document.body.style.background = data }</script>",
    "/worker.js": (_request, response) => {
      // A worker inside a worker: the host has to resume both.
      const inner = "data:text/javascript,postMessage('rgb(0,160,0)')";
      const script = `new Worker(${JSON.stringify(inner)}).onmessage = ({ data }) => postMessage(data)`;
      response.writeHead(200, { "content-type": "text/javascript" }).end(script);
    },
    "/silent": () => {},
    "/for-ever": (_request, response) => response.writeHead(302, { location: "/for-ever" }).end(),
    "/ping": "<script>location.replace('/pong')</script>",
    "/pong": "<script>location.replace('/ping')</script>",
    "/empty": "<!doctype html>",
    "/file": (_request, response) => response.writeHead(200, { "content-type": "application/zip" }).end("x"),
    "/asks-before-leaving": colouredPage(
      "rgb(0,160,0)",
      "<script>onbeforeunload = (event) => event.preventDefault(); setInterval(() => alert('hello'), 50); print()</script>",
    ),
    "/secret": colouredPage("rgb(0,160,0)"),
    "/size": colouredPage(
      "rgb(0,160,0)",
      "<script>onload = () => requestAnimationFrame(() => fetch('/report?size=' + innerWidth + 'x' + innerHeight))</script>",
    ),
  };
}
