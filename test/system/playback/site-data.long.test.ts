// Cookies and local storage of framed sites survive a restart of the player and its browser.
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { startPlayer, startService } from "../../support/programs/programs.ts";
import { colouredPage, startWebServer } from "../../support/network/web-server.ts";
import { startXvfb } from "../../support/browser/xvfb.ts";

/** A page that counts its visits in local storage and reports the count. */
const counting = colouredPage(
  "rgb(0,160,0)",
  `<script>
    let visits = "refused";
    try { visits = localStorage.visits = 1 + Number(localStorage.visits ?? 0) } catch (error) { visits = error.name }
    fetch("/told?visits=" + visits);
  </script>`,
);

test("[WEB13] a framed site keeps its cookies and local storage when the player restarts", async () => {
  await using folder = await temporaryFolder();
  await using xvfb = await startXvfb({ width: 960, height: 540 });
  await using site = await startWebServer("127.0.0.8", {
    "/": (_request, response) => {
      const cookie = "session=known; Max-Age=86400; SameSite=None; Secure; HttpOnly";
      response.writeHead(200, { "content-type": "text/html", "set-cookie": cookie }).end(counting);
    },
  });
  await using service = await startService(join(folder.path, "service"));
  const { layoutId } = await service.api.publish([{ type: "web", url: `${site.origin}/`, duration_ms: 3_600_000 }]);
  const start = () => startPlayer(service.api.url, join(folder.path, "player"), xvfb.display);
  const reported = () => site.requests.filter(({ path }) => path.startsWith("/told"));
  {
    await using player = start();
    await service.api.pair(player, layoutId);
    await player.line("presented");
    await expect.poll(() => reported().map(({ path }) => path)).toEqual(["/told?visits=1"]);
    expect(reported()[0]!.headers.cookie).toBe("session=known");
    await player.stop();
  }
  site.requests.length = 0;
  await using player = start();
  await player.line("presented");
  await expect.poll(() => reported().map(({ path }) => path)).toEqual(["/told?visits=2"]);
  expect(site.requests.find(({ path }) => path === "/")!.headers.cookie).toBe("session=known");
});
