// Runs commands where programs for arm64 run by emulation: in a user namespace with its own binfmt_misc (Linux 6.7), so that nothing
// of this machine's settings changes.
import { Program } from "../../test/support/programs/programs.ts";

// The namespace waits until its users are mapped, one to one. Only a process outside may do that.
const script = `set -e
folder=$(mktemp --directory)
trap 'rm -rf "$folder"' EXIT
mkfifo "$folder/ready" "$folder/mapped"
unshare --user sh -c 'echo > "$1"; read -r _ < "$2"; program=$3; shift 3
exec unshare --mount --pid --fork --kill-child --mount-proc sh -c "$program" sh "$@"' sh "$folder/ready" "$folder/mapped" "$@" &
read -r _ < "$folder/ready"
echo '0 0 65536' > /proc/$!/uid_map
echo '0 0 65536' > /proc/$!/gid_map
echo > "$folder/mapped"
wait $!
`;
// The flag F opens the emulator now: it need not exist in a chroot.
const magic = String.raw`\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00`;
const mask = String.raw`\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff`;
const inside = `set -e
mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
printf '%s' ':aarch64:M::${magic}:${mask}:/usr/bin/qemu-aarch64-static:FP' > /proc/sys/fs/binfmt_misc/register
exec "$@"
`;

/** @returns the output. @throws Error with the end of it if the command fails. */
export async function runEmulated(...command: string[]): Promise<string> {
  await using program = new Program(["-c", script, "sh", inside, ...command], {}, "sh");
  const code = await program.exitCode;
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${String(code)}:\n${program.output.slice(-4_000)}`);
  return program.output;
}
