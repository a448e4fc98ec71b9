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
  /** Subcommands, and the values of arguments. */
  readonly words: readonly Word[];
  readonly options: readonly CompletedOption[];
  /** True if an argument is a file. */
  readonly hasFile: boolean;
}

interface Word {
  readonly word: string;
  readonly description: string;
}

interface CompletedOption extends Word {
  /** The values of the option, if it has a fixed set. */
  readonly values: readonly string[];
  readonly hasFile: boolean;
}

function nodesOf(command: Command, path = ''): readonly Node[] {
  const { registeredArguments: args } = command;
  const words = [
    ...command.commands.map((one) => ({
      word: one.name(),
      description: one.summary() || one.description(),
    })),
    ...args.flatMap(({ argChoices = [], description }) =>
      argChoices.map((word) => ({ word, description })),
    ),
  ];
  const options = command.createHelp().visibleOptions(command);
  const nested = command.commands.flatMap((one) => nodesOf(one, `${path} ${one.name()}`.trim()));
  return [
    {
      path,
      words,
      options: options.map(({ long, description, argChoices = [], flags }) => ({
        word: long ?? '',
        description,
        values: argChoices,
        hasFile: flags.endsWith('<file>'),
      })),
      hasFile: args.some((argument) => argument.name().endsWith('file')),
    },
    ...nested,
  ];
}

const SCRIPTS: Readonly<Record<Shell, (nodes: readonly Node[]) => string>> = {
  bash: (nodes) =>
    `_holdpoint() {
  local at= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
${findPath(nodes)}
  done
  local list= files= typed="\${COMP_WORDS[COMP_CWORD]}" last="\${COMP_WORDS[COMP_CWORD-1]}"
${wordsByPath(nodes)}
  COMPREPLY=($(compgen -W "$list" -- "$typed"))
  if [ -n "$files" ]; then compopt -o default 2>/dev/null; fi
}
complete -F _holdpoint holdpoint`,
  zsh: (nodes) =>
    `_holdpoint() {
  local at= word
  for word in "\${(@)words[2,CURRENT-1]}"; do
${findPath(nodes)}
  done
  local list= files= typed="$words[CURRENT]" last="$words[CURRENT-1]"
${wordsByPath(nodes)}
  compadd -- \${=list}
  [[ -z $files ]] || _files
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

/** Sets `list` to the words that fit, and `files` if a file fits. Options follow only a dash. */
function wordsByPath(nodes: readonly Node[]): string {
  const cases = nodes.map(
    ({ path, words, options, hasFile }) =>
      `    ${quoted(path)}) list=${listOf(words)} files=${hasFile ? 'yes' : ''}
      case "$typed" in -*) list=${listOf(options)} files= ;; esac
${optionCases(options)} ;;`,
  );
  return ['  case "$at" in', ...cases, '  esac'].join('\n');
}

/** Offers only the values of the option before the cursor. */
function optionCases(options: readonly CompletedOption[]): string {
  const cases = options
    .filter(({ values, hasFile }) => values.length > 0 || hasFile)
    .map(
      ({ word, values, hasFile }) =>
        `${word}) list=${quoted(values.join(' '))} files=${hasFile ? 'yes' : ''} ;;`,
    );
  return `      case "$last" in ${cases.join(' ')} esac`;
}

function listOf(words: readonly Word[]): string {
  return quoted(words.map(({ word }) => word).join(' '));
}

function fishLines({ path, words, options, hasFile }: Node): readonly string[] {
  const line = (form: string, description = '') => {
    const [first = ''] = description.split(/[.\n]/);
    const suffix = first === '' ? '' : ` -d ${quoted(first)}`;
    return `complete -c holdpoint -n ${quoted(`__holdpoint_at ${quoted(path)}`)} ${form}${suffix}`;
  };
  return [
    ...(hasFile ? [] : [line('-f')]),
    ...words.map(({ word, description }) => line(`-f -a ${quoted(word)}`, description)),
    ...options.map(({ word, description, values, hasFile: isFile }) => {
      const form = `-l ${word.slice(2)}`;
      if (values.length > 0) return line(`${form} -x -a ${quoted(values.join(' '))}`, description);
      return line(isFile ? `${form} -r -F` : form, description);
    }),
  ];
}

function quoted(text: string): string {
  return text.includes("'") ? `"${text}"` : `'${text}'`;
}
