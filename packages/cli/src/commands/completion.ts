import type { Command } from 'commander';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** Adds `completion`, which prints a script that is generated from the command tree. */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .summary('Print a completion script for a shell')
    .description(
      'Print a completion script for a shell. Add it to the start-up file of the shell:\n\n' +
        '  bash: eval "$(holdpoint completion bash)"\n' +
        '  zsh:  eval "$(holdpoint completion zsh)"\n' +
        '  fish: holdpoint completion fish | source',
    )
    .addArgument(program.createArgument('<shell>').choices(SHELLS))
    .action((shell: Shell) => console.log(SCRIPTS[shell](nodesOf(program))));
}

/** A command with the words that can follow it. */
interface Node {
  /** The names of the command without `holdpoint`, such as `runs start`; empty for the program. */
  readonly path: string;
  readonly words: readonly { readonly word: string; readonly description: string }[];
}

function nodesOf(command: Command, path = ''): readonly Node[] {
  const help = command.createHelp();
  const words = [
    ...command.commands.map((one) => ({
      word: one.name(),
      description: one.summary() || one.description(),
    })),
    ...help.visibleOptions(command).flatMap(({ long, description }) => ({
      word: long ?? '',
      description,
    })),
    ...command.registeredArguments.flatMap(({ argChoices = [], description }) =>
      argChoices.map((word) => ({ word, description })),
    ),
  ];
  const nested = command.commands.flatMap((one) => nodesOf(one, `${path} ${one.name()}`.trim()));
  return [{ path, words }, ...nested];
}

const SCRIPTS: Readonly<Record<Shell, (nodes: readonly Node[]) => string>> = {
  bash: (nodes) =>
    `_holdpoint() {
  local at= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
${findPath(nodes)}
  done
  local list=
${wordsByPath(nodes)}
  COMPREPLY=($(compgen -W "$list" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _holdpoint holdpoint`,
  zsh: (nodes) =>
    `_holdpoint() {
  local at= word
  for word in "\${(@)words[2,CURRENT-1]}"; do
${findPath(nodes)}
  done
  local list=
${wordsByPath(nodes)}
  compadd -- \${=list}
  _files
}
compdef _holdpoint holdpoint`,
  fish: (nodes) =>
    `function __holdpoint_at
  set -l at ''
  for word in (commandline -opc)[2..]
    set -l next (string trim "$at $word")
    contains -- "$next" ${pathsOf(nodes).map(quoted).join(' ')}; and set at "$next"
  end
  test "$at" = "$argv[1]"
end
${nodes.flatMap(fishLines).join('\n')}`,
};

function pathsOf(nodes: readonly Node[]): readonly string[] {
  return nodes.map(({ path }) => path).filter((path) => path !== '');
}

/** A \`case\` that extends \`at\` by a word that names a command. */
function findPath(nodes: readonly Node[]): string {
  const paths = pathsOf(nodes).map(quoted).join('|');
  return `    case "\${at:+$at }$word" in ${paths}) at="\${at:+$at }$word" ;; esac`;
}

function wordsByPath(nodes: readonly Node[]): string {
  const cases = nodes.map(
    ({ path, words }) =>
      `    ${quoted(path)}) list=${quoted(words.map(({ word }) => word).join(' '))} ;;`,
  );
  return ['  case "$at" in', ...cases, '  esac'].join('\n');
}

function fishLines({ path, words }: Node): readonly string[] {
  return words.map(({ word, description }) => {
    const form = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${quoted(word)}`;
    const [line = ''] = description.split(/[.\n]/);
    return `complete -c holdpoint -n ${quoted(`__holdpoint_at ${quoted(path)}`)} ${form} -d ${quoted(line)}`;
  });
}

function quoted(text: string): string {
  return text.includes("'") ? `"${text}"` : `'${text}'`;
}
