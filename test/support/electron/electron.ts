// The stand-in's module `electron`: the parts that this project imports, typed by electron.d.ts.
import { EventEmitter } from "node:events";
import type { IpcMain, Menu as ElectronMenu, NativeTheme, PowerSaveBlocker, Shell } from "electron";
import { app } from "./app.ts";
import { demandOneOf, demandWhole } from "./preconditions.ts";
import { record } from "./record.ts";
import { screen } from "./screen.ts";
import { session } from "./session.ts";
import { utilityProcess } from "./utility.ts";
import { BrowserWindow } from "./window.ts";

const Menu = {
  setApplicationMenu: (menu) => {
    // The stand-in makes no menus, so that only null can be one.
    if (menu !== null) throw new TypeError("Invalid menu");
    record({ call: "Menu.setApplicationMenu", menu, ready: app.isReady() });
  },
} satisfies Pick<typeof ElectronMenu, "setApplicationMenu">;

const started = new Set<number>();
let lastId = -1;
const powerSaveBlocker = {
  start: (type) => {
    demandOneOf(type, ["prevent-app-suspension", "prevent-display-sleep"]);
    lastId += 1;
    started.add(lastId);
    record({ call: "powerSaveBlocker.start", type, id: lastId });
    return lastId;
  },
  stop: (id) => {
    demandWhole(id);
    record({ call: "powerSaveBlocker.stop", id });
    return started.delete(id);
  },
  isStarted: (id) => started.has(id),
} satisfies Pick<PowerSaveBlocker, "start" | "stop" | "isStarted">;

let themeSource: NativeTheme["themeSource"] = "system";
const nativeTheme: Pick<NativeTheme, "themeSource"> = {
  get themeSource() {
    return themeSource;
  },
  set themeSource(source) {
    demandOneOf(source, ["system", "light", "dark"]);
    themeSource = source;
  },
};
const ipcMain = new EventEmitter();
ipcMain satisfies Partial<Pick<IpcMain, "eventNames">>;
const shell = {
  openPath: () => Promise.reject(new Error("the stand-in opens nothing")),
} satisfies Pick<Shell, "openPath">;

export { app, BrowserWindow, ipcMain, Menu, nativeTheme, powerSaveBlocker, screen, session, shell, utilityProcess };
export default { app, BrowserWindow, ipcMain, Menu, nativeTheme, powerSaveBlocker, screen, session, shell, utilityProcess };
