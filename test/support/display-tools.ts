// Recorded fakes of the system's display tools, as scripts on PATH. They keep their state in files, so that a test reads back what they set.
import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "./folder.ts";

/** `lies`: it accepts everything and changes nothing. */
export type Behaviour = "works" | "hangs" | "fails" | "lies";
export type FakeTool = keyof typeof scripts;

/** The state of the display behind all tools. */
type State = "power" | "transform" | "mode" | "tv" | "active" | "brightness" | "input" | "outputs";

export interface DisplayTools extends AsyncDisposable {
  env: NodeJS.ProcessEnv;
  /** For `sys` and `dev`. It has a CEC adapter if cec-ctl is installed. */
  root: string;
  behave(tool: FakeTool, behaviour: Behaviour): Promise<void>;
  uninstall(tool: FakeTool): Promise<void>;
  get(state: State): Promise<string>;
  set(state: State, value: string): Promise<void>;
  /** The arguments of each call, oldest first. */
  calls(tool: FakeTool): Promise<string[]>;
}

const initial: Record<State, string> = {
  power: "on",
  transform: "normal",
  mode: "1920x1080",
  tv: "on",
  active: "1.0.0.0",
  brightness: "80",
  input: "11",
  outputs: "HDMI-A-1",
};

// `put NAME VALUE` stores state unless the tool lies; `get NAME` prints it.
const head = (folder: string, tool: string): string => `#!/bin/sh
state=${folder}
get() { cat "$state/$1"; }
put() { [ "$behaviour" = lies ] || printf %s "$2" > "$state/$1"; }
echo "$*" >> "$state/${tool}.calls"
behaviour=$(cat "$state/${tool}.behaviour" 2>/dev/null)
case "$behaviour" in
hangs) sleep 1000 ;;
fails) echo "${tool}: cannot open display" >&2; exit 1 ;;
esac
`;

const scripts = {
  // wlopm 0.1.0
  wlopm: `case "$1" in
--on) put power on ;;
--off) put power off ;;
*) for output in $(get outputs); do echo "$output $(get power)"; done ;;
esac`,
  // wlr-randr 0.4.1
  "wlr-randr": `output= size=
while [ $# -gt 0 ]; do
  case "$1" in
  --output) output=$2; shift ;;
  --transform) put transform "$2"; shift ;;
  --mode|--custom-mode)
    size=\${2%%@*}
    case "$size" in 1920x1080|1280x720|3840x2160) put mode "$size" ;; *) echo "unknown mode: $2" >&2; exit 1 ;; esac
    shift ;;
  --preferred) put mode 1920x1080 ;;
  --on) put power on ;;
  --off) put power off ;;
  esac
  shift
done
[ -n "$output" ] && exit 0
current() { [ "$(get mode)" = "$1" ] && printf %s "$2"; }
for output in $(get outputs); do
  echo "$output \\"Samsung Electric Company LS24 0x5A4D3632 ($output)\\""
  echo "  Make: Samsung Electric Company"
  echo "  Model: LS24"
  echo "  Serial: 0x5A4D3632"
  echo "  Physical size: 530x300 mm"
  if [ "$(get power)" = off ] && [ ! -e "$state/../bin/wlopm" ]; then echo "  Enabled: no"; continue; fi
  echo "  Enabled: yes"
  echo "  Modes:"
  echo "    3840x2160 px, 30.000000 Hz$(current 3840x2160 ' (current)')"
  if [ "$(get mode)" = 1920x1080 ]; then echo "    1920x1080 px, 60.000000 Hz (preferred, current)"; else echo "    1920x1080 px, 60.000000 Hz (preferred)"; fi
  echo "    1920x1080 px, 59.939999 Hz"
  echo "    1920x1080 px, 50.000000 Hz"
  echo "    1280x720 px, 60.000000 Hz$(current 1280x720 ' (current)')"
  echo "  Position: 0,0"
  echo "  Transform: $(get transform)"
  echo "  Scale: 1.000000"
  echo "  Adaptive Sync: disabled"
done`,
  // x11-xserver-utils 7.7
  xset: `case "$*" in
q)
  echo "Keyboard Control:"
  echo "  auto repeat:  on    key click percent:  0    LED mask:  00000000"
  echo "DPMS (Display Power Management Signaling):"
  echo "  Standby: 0    Suspend: 0    Off: 0"
  echo "  DPMS is Enabled"
  if [ "$(get power)" = on ]; then echo "  Monitor is On"; else echo "  Monitor is Off"; fi ;;
"dpms force on") put power on ;;
"dpms force off") put power off ;;
esac`,
  xrandr: `while [ $# -gt 0 ]; do
  case "$1" in
  --rotate) put transform "$2"; shift ;;
  --mode) case "$2" in 1920x1080|1280x720) put mode "$2" ;; *) echo "xrandr: cannot find mode $2" >&2; exit 1 ;; esac; shift ;;
  --auto) put mode 1920x1080 ;;
  --props) print=yes ;;
  esac
  shift
done
[ -n "$print" ] || exit 0
rotation=$(get transform)
[ "$rotation" = normal ] && rotation= || rotation="$rotation "
echo "Screen 0: minimum 320 x 200, current 1920 x 1080, maximum 16384 x 16384"
echo "HDMI-1 connected primary 1920x1080+0+0 $rotation(normal left inverted right x axis y axis) 530mm x 300mm"
printf '\\tEDID: \\n'
printf '\\t\\t%s\\n' 00ffffffffffff0010acd0a04c503030 2d190104a53420783a0495a9554d9d26 105054a54b00714f8180a940d1c00101 010101010101023a801871382d40582c \\
  450009252100001e000000ff00395832 56593534523041420a20000000fc0044 454c4c2055323431350a2020000000fd 00384c1e5311000a20202020202000bc
printf '\\tnon-desktop: 0 \\n\\t\\tsupported: 0, 1\\n'
mark() { [ "$(get mode)" = "$1" ] && printf '*' || printf ' '; }
echo "   1920x1080     60.00$(mark 1920x1080)+  50.00    59.94  "
echo "   1920x1080i    60.00    50.00  "
echo "   1280x720      60.00$(mark 1280x720)   50.00  "
echo "DP-1 disconnected (normal left inverted right x axis y axis)"`,
  xinput: `[ "$1" = list ] || exit 0
echo "⎡ Virtual core pointer                    	id=2	[master pointer  (3)]"
echo "	Class originated from: 2. Type: XIButtonClass"
echo "⎜   ↳ ILITEK ILITEK-TP                        	id=9	[slave  pointer  (2)]"
echo "	Reporting 3 classes:"
echo "		Class originated from: 9. Type: XITouchClass"
echo "		Touch mode: direct"
echo "		Max number of touches: 10"
echo "⎜   ↳ SynPS/2 Synaptics TouchPad              	id=11	[slave  pointer  (2)]"
echo "		Class originated from: 11. Type: XITouchClass"
echo "		Touch mode: dependent"
echo "⎣ Virtual core keyboard                   	id=3	[master keyboard (2)]"`,
  // v4l-utils 1.30
  "cec-ctl": `echo "Driver Info:"
echo "	Driver Name                : vc4_hdmi"
echo "	Adapter Name               : vc4-hdmi-0"
echo "	Physical Address           : 1.0.0.0"
echo "	Logical Address Mask       : 0x0010"
echo
tv=$(get tv)
unheard() { echo "	Tx, Not Acknowledged (4), Max Retries"; exit 0; }
case "$*" in
*--image-view-on) echo "Transmit from Playback Device 1 to TV (4 to 0):"; echo "IMAGE_VIEW_ON (0x04)"
  [ "$tv" = gone ] && unheard
  put tv on ;;
*--standby) echo "Transmit from Playback Device 1 to TV (4 to 0):"; echo "STANDBY (0x36)"
  [ "$tv" = gone ] && unheard
  put tv standby ;;
*--active-source*) put active 1.0.0.0 ;;
*--request-active-source)
  echo "	Received from TV (0 to 15):"
  echo "	ACTIVE_SOURCE (0x82):"
  echo "		phys-addr: $(get active)" ;;
*--give-device-power-status)
  echo "Transmit from Playback Device 1 to TV (4 to 0):"
  echo "GIVE_DEVICE_POWER_STATUS (0x8f)"
  [ "$tv" = gone ] && unheard
  echo "	Received from TV (0 to 4):"
  [ "$tv" = silent ] && { echo "	FEATURE_ABORT (0x00):"; exit 0; }
  echo "	REPORT_POWER_STATUS (0x90):"
  echo "		pwr-state: $tv (0x00)"
  echo "	Sequence: 1 Tx Timestamp: 148.121s Rx Timestamp: 148.226s" ;;
esac`,
  // ddcutil 2.2
  ddcutil: `case "$*" in
"detect --brief")
  echo "Invalid display"
  echo "   I2C bus:  /dev/i2c-1"
  echo
  echo "Display 1"
  echo "   I2C bus:          /dev/i2c-20"
  echo "   DRM connector:    card1-HDMI-A-1"
  echo "   Monitor:          DEL:DELL U2415:7MT0167B1ABC" ;;
*capabilities)
  echo "Model: U2415"
  echo "MCCS version: 2.1"
  echo "VCP Features:"
  echo "   Feature: 10 (Brightness)"
  echo "   Feature: 60 (Input Source)"
  echo "      Values:"
  echo "         0f: DisplayPort-1"
  echo "         11: HDMI-1"
  echo "         12: HDMI-2"
  echo "   Feature: D6 (Power mode)"
  echo "      Values:"
  echo "         01: DPM: On,  DPMS: Off" ;;
*"getvcp 10 --brief") echo "VCP 10 C $(get brightness) 100" ;;
*"getvcp 60 --brief") echo "VCP 60 SNC x$(get input)" ;;
*"setvcp 10 "*) put brightness "$5" ;;
*"setvcp 60 "*) put input "\${5#0x}" ;;
esac`,
} as const;

/** @param tools those that are installed */
export async function displayTools(tools: readonly FakeTool[], session: NodeJS.ProcessEnv = {}): Promise<DisplayTools> {
  const folder = await temporaryFolder();
  const at = (...path: string[]): string => join(folder.path, ...path);
  for (const each of ["bin", "state", "root/dev"]) await mkdir(at(each), { recursive: true });
  for (const tool of tools) await writeFile(at("bin", tool), head(at("state"), tool) + scripts[tool], { mode: 0o755 });
  if (tools.includes("cec-ctl")) await writeFile(at("root/dev/cec0"), "");
  // The scripts need these; the machine's own display tools must not be found.
  for (const needed of ["cat", "sleep"]) await symlink(`/bin/${needed}`, at("bin", needed));
  const get = (state: string): Promise<string> => readFile(at("state", state), "utf8");
  const set = (state: string, value: string): Promise<void> => writeFile(at("state", state), value);
  for (const [state, value] of Object.entries(initial)) await set(state, value);
  return {
    env: { PATH: at("bin"), XDG_RUNTIME_DIR: folder.path, ...session },
    root: at("root"),
    behave: (tool, behaviour) => set(`${tool}.behaviour`, behaviour),
    uninstall: (tool) => rm(at("bin", tool)),
    get,
    set,
    calls: async (tool) => (await get(`${tool}.calls`).catch(() => "")).split("\n").filter((line) => line !== ""),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
