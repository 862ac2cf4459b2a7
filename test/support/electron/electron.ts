// The stand-in's module `electron`: the parts that this project imports, typed by electron.d.ts.
import { EventEmitter } from "node:events";
import type { IpcMain, Menu as ElectronMenu, NativeTheme, PowerSaveBlocker, Shell } from "electron";
import { app } from "./app.ts";
import { record } from "./record.ts";
import { screen } from "./screen.ts";
import { session } from "./session.ts";
import { utilityProcess } from "./utility.ts";
import { BrowserWindow } from "./window.ts";

const Menu = {
  setApplicationMenu: (menu) => record({ call: "Menu.setApplicationMenu", menu: menu === null ? null : "a menu", ready: app.isReady() }),
} satisfies Pick<typeof ElectronMenu, "setApplicationMenu">;

const started = new Set<number>();
let lastId = -1;
const powerSaveBlocker = {
  start: (type) => {
    lastId += 1;
    started.add(lastId);
    record({ call: "powerSaveBlocker.start", type, id: lastId });
    return lastId;
  },
  stop: (id) => {
    record({ call: "powerSaveBlocker.stop", id });
    return started.delete(id);
  },
  isStarted: (id) => started.has(id),
} satisfies Pick<PowerSaveBlocker, "start" | "stop" | "isStarted">;

const nativeTheme: Pick<NativeTheme, "themeSource"> = { themeSource: "system" };
const ipcMain = new EventEmitter();
ipcMain satisfies Partial<Pick<IpcMain, "eventNames">>;
const shell = {
  openPath: () => Promise.reject(new Error("the stand-in opens nothing")),
} satisfies Pick<Shell, "openPath">;

export { app, BrowserWindow, ipcMain, Menu, nativeTheme, powerSaveBlocker, screen, session, shell, utilityProcess };
export default { app, BrowserWindow, ipcMain, Menu, nativeTheme, powerSaveBlocker, screen, session, shell, utilityProcess };
