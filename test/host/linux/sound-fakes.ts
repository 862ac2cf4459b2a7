// What wpctl 0.5.8, pactl 17.0 and amixer 1.2.14 print, recorded on Debian 13, as scripts that remember what was set.

const sinks = (hdmi: string, usb: string): string => `PipeWire 'pipewire-0' [1.4.2, root@vm, cookie:2422157361]
 └─ Clients:
        31. WirePlumber                         [1.4.2, root@vm, pid:9]

Audio
 ├─ Devices:
 │      44. Built-in Audio                      [alsa]
 │  
 ├─ Sinks:
 │      41. ${usb.padEnd(36)}[vol: 1.00]
 │  *   47. ${hdmi.padEnd(36)}[vol: 0.40 MUTED]
 │  
 ├─ Sources:
 │      52. Microphone                          [vol: 1.00]
 │  
 ├─ Filters:
 │  
 └─ Streams:

Video
 ├─ Devices:
 │  
 ├─ Sinks:
 │      60. not-sound
 │  
 └─ Streams:

Settings
 └─ Default Configured Devices:`;

export const hdmi = { name: "alsa_output.pci-0000_00_1f.3.hdmi-stereo", description: "Out [HDMI] 2. Digital Stereo" };
export const usb = { name: "alsa_output.usb-Jabra-00.analog-stereo", description: "Jabra Analog Stereo" };

/** With two outputs; the numbers of the second set differ, as after a restart of PipeWire. */
export const wpctl = `
default=$(cat "$STATE/default" 2>/dev/null || echo 47)
volume=$(cat "$STATE/volume" 2>/dev/null || echo 0.40)
muted=$(cat "$STATE/muted" 2>/dev/null)
renumber() { if [ -e "$STATE/renumbered" ]; then sed -e 's/ 41\\. / 91. /' -e 's/ 47\\. / 97. /'; else cat; fi; }
case "$1" in
status)
  if [ "$2" = --name ]; then cat <<'NAMES' | renumber
${sinks(hdmi.name, usb.name)}
NAMES
  else cat <<'TEXTS' | renumber
${sinks(hdmi.description, usb.description)}
TEXTS
  fi ;;
get-volume) [ "$2" = @DEFAULT_AUDIO_SINK@ ] || exit 3; echo "Volume: $volume\${muted:+ [MUTED]}" ;;
set-volume) [ "$2" = @DEFAULT_AUDIO_SINK@ ] || exit 3; echo "$3" > "$STATE/volume" ;;
set-mute) if [ "$3" = 1 ]; then echo 1 > "$STATE/muted"; else rm -f "$STATE/muted"; fi ;;
set-default) case "$2" in 41|47|91|97) echo "$2" > "$STATE/default" ;; *) echo "Node '$2' not found" >&2; exit 3 ;; esac ;;
clear-default) rm -f "$STATE/default" ;;
inspect) case "$default" in
  41|91) echo '  * node.name = "${usb.name}"' ;;
  *) printf 'id 47, type PipeWire:Interface:Node\\n  * node.description = "x"\\n  * node.name = "${hdmi.name}"\\n' ;;
  esac ;;
*) exit 1 ;;
esac`;

export const noPipeWire = `echo 'Could not connect to PipeWire' >&2; exit 2`;

export const pactl = `
default=$(cat "$STATE/sink" 2>/dev/null || echo ${hdmi.name})
percent=$(cat "$STATE/percent" 2>/dev/null || echo 100)
mute=$(cat "$STATE/mute" 2>/dev/null || echo no)
case "$1 $2 $3" in
'--format=json list sinks') echo '[{"index":50,"state":"SUSPENDED","name":"${hdmi.name}","description":"${hdmi.description}","mute":false},{"index":51,"name":"${usb.name}","description":"${usb.description}"},{"index":1,"name":"auto_null","description":"Dummy Output"}]' ;;
'get-default-sink  ') echo "$default" ;;
'set-default-sink @NONE@ ') rm -f "$STATE/sink" ;;
'set-default-sink '*) echo "$2" > "$STATE/sink" ;;
'get-sink-volume @DEFAULT_SINK@ ') echo "Volume: front-left: 24248 /  $percent% / -25.91 dB,   front-right: 24248 /  $percent% / -25.91 dB"; echo '        balance 0.00' ;;
'set-sink-volume @DEFAULT_SINK@ '*) echo "\${3%\\%}" > "$STATE/percent" ;;
'get-sink-mute @DEFAULT_SINK@ ') echo "Mute: $mute" ;;
'set-sink-mute @DEFAULT_SINK@ 1') echo yes > "$STATE/mute" ;;
'set-sink-mute @DEFAULT_SINK@ 0') echo no > "$STATE/mute" ;;
*) echo 'Failure: No such entity' >&2; exit 1 ;;
esac`;

/** A card as on a Raspberry Pi: no "Master", and a capture control first. */
export const amixer = `
percent=$(cat "$STATE/percent" 2>/dev/null || echo 80)
switch=$(cat "$STATE/switch" 2>/dev/null || echo on)
case "$*" in
scontents) cat <<'END'
Simple mixer control 'Mic',0
  Capabilities: cvolume cswitch
  Capture channels: Front Left - Front Right
  Front Left: Capture 15 [48%] [12.00dB] [on]
Simple mixer control 'PCM',0
  Capabilities: pvolume pvolume-joined pswitch pswitch-joined
  Playback channels: Mono
  Limits: Playback -10239 - 400
  Mono: Playback -2000 [77%] [-20.00dB] [on]
END
;;
"-M sget 'PCM',0") printf "Simple mixer control 'PCM',0\\n  Limits: Playback -10239 - 400\\n  Mono: Playback -2000 [$percent%%] [-20.00dB] [$switch]\\n" ;;
"-M sset 'PCM',0 mute") echo off > "$STATE/switch" ;;
"-M sset 'PCM',0 unmute") echo on > "$STATE/switch" ;;
"-M sset 'PCM',0 "*%) echo "\${4%\\%}" > "$STATE/percent" ;;
*) echo "amixer: Unable to find simple control" >&2; exit 1 ;;
esac`;
