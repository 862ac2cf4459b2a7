// Completion for bash, from the programs' flag definitions.
import type { Manual } from "./manuals.ts";

// Placeholders of values that are files or folders.
const pathValue = /^(FILE|DIR|FOLDER)/;

/** The completion of a command: its programs, their flags, and files where a flag takes one. */
export function completionText({ name, programs }: Manual): string {
  const cases = programs.map(({ name: program, usage }) => {
    const flags = [...Object.keys(usage.flags), "help"].map((flag) => `--${flag}`);
    return `    ${program}) flags="${flags.join(" ")}" ;;`;
  });
  const paths = programs.flatMap(({ usage }) =>
    Object.entries(usage.flags).flatMap(([flag, { value }]) => (value !== undefined && pathValue.test(value) ? [`--${flag}`] : [])),
  );
  const pathCase = `  case $previous in
    ${[...new Set(paths)].toSorted().join(" | ")})
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
      return
      ;;
  esac
`;
  return `# Completion of ${name} for bash, made from the definitions of its flags.
_${name.replaceAll("-", "_")}() {
  local word=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} flags=
  if [ "$COMP_CWORD" = 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "${programs.map((program) => program.name).join(" ")} --help --version" -- "$word")
    return
  fi
${paths.length === 0 ? "" : pathCase}  case \${COMP_WORDS[1]} in
${cases.join("\n")}
  esac
  case $word in
    -*) mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$word") ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
  esac
}
complete -o filenames -F _${name.replaceAll("-", "_")} ${name}
`;
}
