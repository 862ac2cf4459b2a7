// The player's flags, and those that Electron gets.
import { expect, test } from "vitest";
import { isBrowserSwitch, formatPlayerFlags, readPlayerFlags, withoutBrowserSwitches } from "../../../src/main/player/player-flags.ts";

test.each([
  [["--data", "/d"]],
  [
    [
      "--server",
      "http://127.0.0.1:8080",
      "--data",
      "/a folder/ö",
      "--engine",
      "electron",
      "--window",
      "1280x720",
      "--triggers",
      "--allow-scripts",
    ],
  ],
  [["--server", "https://s.example/x?a=b", "--data=--d", "--headless", "--engine", "chromium"]],
  [["--data", "/d", "--allow-local", "127.0.0.1:3000,localhost:*,[::1]:80,my-box:8080"]],
  [["--data", "/d", "--proxy", "http://user:pass@proxy.test:3128", "--ca", "/etc/a folder/ca.pem"]],
  [["--data", "/d", "--preload", "/media/a stick"]],
  [["--data", "/d", "--quota", "500MB"]],
  [["--data", "/d", "--quota", "999999999GB"]],
  [["--data", "/d", "--ntp", "time.example.org,10.0.0.1:1123,[::1]:1230,::1"]],
])("[ENG7] the player's flags are passed to Electron as one argument each, with the same meaning: %j", (argv) => {
  const config = readPlayerFlags(argv);
  const flags = formatPlayerFlags(config);
  expect(flags.filter((word) => !word.startsWith("--"))).toEqual([]);
  expect(readPlayerFlags(flags)).toEqual(config);
});

test("[ENG8] accepted switches of Chromium are left to Electron, and the player's own flags are read", () => {
  const switches = [
    "--ozone-platform=wayland",
    "--ozone-platform-hint=auto",
    "--lang=de",
    "--disable-gpu",
    "--ignore-gpu-blocklist",
    "--enable-gpu-rasterization",
    "--use-gl=egl",
    "--use-angle=gles",
    "--enable-features=AcceleratedVideoDecodeLinuxGL,Vulkan",
    "--force-color-profile=srgb",
    "--alsa-output-device=hw:1,0",
    "--disable-dev-shm-usage",
    "--proxy-server=http://proxy.example:3128",
    "--proxy-bypass-list=*.example.org;10.0.0.0/8",
    "--no-proxy-server",
  ];
  const argv = [...switches.slice(0, 5), "--server", "http://127.0.0.1:1", "--triggers", ...switches.slice(5)];
  expect(withoutBrowserSwitches(argv)).toEqual(["--server", "http://127.0.0.1:1", "--triggers"]);
  expect(argv.filter(isBrowserSwitch)).toEqual(switches);
});

test.each([
  "--no-sandbox",
  "--disable-gpu-sandbox",
  "--disable-setuid-sandbox",
  "--no-zygote",
  "--gpu-launcher=cmd",
  "--renderer-cmd-prefix=xterm",
  "--js-flags=--allow-natives-syntax",
  "--remote-debugging-port=9222",
  "--remote-debugging-pipe",
  "--remote-debugging-address=0.0.0.0",
  "--inspect=0.0.0.0",
  "--disable-web-security",
  "--disable-site-isolation-trials",
  "--disable-features=SitePerProcess",
  "--ignore-certificate-errors",
  "--host-resolver-rules=MAP * 127.0.0.1",
  "--load-extension=/x",
  "--user-data-dir=/x",
  "--force-device-scale-factor=2",
  "--OZONE-PLATFORM=wayland",
  "--ozone-platform",
  "--ozone-platform=",
  "--disable-gpu=1",
  "--proxy-server=socks5://proxy.example:1080",
  "--proxy-bypass-list=<-loopback>",
  "--proxy-bypass-list=a.example;<-loopback>",
  "--__proto__=x",
  "--constructor",
])("[ENG9] any other switch is rejected in one line that names it: %s", (word) => {
  expect(reading(word)).toThrow(expect.objectContaining({ code: "bad-config", message: expect.stringMatching(/^[^\n]+$/) }));
  expect(reading(word)).toThrow(word.split("=")[0]!);
});

test.each([
  // Chromium accepts one dash instead of two, and on Windows a slash.
  [["-ozone-platform=wayland"], "'-o'"],
  [["/no-sandbox"], "'/no-sandbox'"],
  // Switches after the end of the flags are rejected too.
  [["--", "--no-sandbox"], "'--no-sandbox'"],
])("[ENG9] any other switch is rejected in one line that names it: %j", (words, named) => {
  expect(reading(...words)).toThrow(expect.objectContaining({ code: "bad-config", message: expect.stringContaining(named) }));
});

test.each(["socks5://127.0.0.1:1080", "https://proxy.test", "http://", "two words"])(
  "[PRG4] --proxy must name an HTTP proxy: %s",
  (url) => {
    expect(reading("--proxy", url)).toThrow(
      expect.objectContaining({ code: "bad-config", message: expect.stringContaining("--proxy: must be") }),
    );
  },
);

test.each([
  ["500MB", 500_000_000],
  ["8GB", 8_000_000_000],
  ["999999999GB", 999_999_999e9],
])("[ROM9] --quota %s is a size in MB or GB", (size, bytes) => {
  expect(reading("--quota", size)()).toMatchObject({ quota: bytes });
});

test.each(["", "0MB", "500", "1.5GB", "-1GB", "8gb", "8 GB"])("[ROM9] --quota must be a size in MB or GB: “%s”", (size) => {
  expect(reading(`--quota=${size}`)).toThrow(
    expect.objectContaining({ code: "bad-config", message: expect.stringContaining("--quota: must be") }),
  );
});

function reading(...words: string[]): () => unknown {
  return () => readPlayerFlags(withoutBrowserSwitches(["--server=http://127.0.0.1:1", ...words]));
}
