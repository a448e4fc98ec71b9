import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { repository } from '../../../core/test/support/run-program.ts';
import { createProgram } from '../../src/program.ts';

/** Returns the commands of the shell blocks of a document, and of its inline code that begins with `holdpoint`. */
export function commandsIn(markdown: string): string[] {
  const blocks = [...markdown.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, code = '']) => code);
  const inline = markdown.replaceAll(/^```[^]*?^```$/gm, '').matchAll(/`(holdpoint [^`]+)`/g);
  const lines = blocks.flatMap((code) => code.replaceAll('\\\n', ' ').split('\n'));
  return [...lines, ...[...inline].map(([, code = '']) => code)]
    .map((line) => line.replace(/(^|\s)#.*$/, ''))
    .flatMap((line) => line.split(/&&|[|;>]|"\$\(|\)"/))
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/**
 * Returns the missing parts of a command in a document: a program's command or option, a script, a
 * file.
 */
export function problemOf(command: string, document: string): string | undefined {
  const words = command.split(/\s+/).filter((word) => !/^[A-Z_]+=/.test(word));
  const program = words[0] === 'npx' ? words.slice(1) : words;
  const [name, ...args] = program;
  if (name === 'holdpoint') return problemOfHoldpoint(args);
  if (name === 'npm') return problemOfNpm(args, document);
  const missing = args.find(
    (word) =>
      /^(?:examples|packages|conformance|bench)\//.test(word) &&
      !existsSync(join(repository, word)),
  );
  return missing && `The file ${missing} does not exist.`;
}

function problemOfHoldpoint(args: readonly string[]): string | undefined {
  let command: Command = createProgram();
  const known = [...command.options];
  for (const word of args) {
    const subcommand = command.commands.find((one) => one.name() === word);
    if (subcommand !== undefined) {
      command = subcommand;
      known.push(...command.options);
    } else if (/^--?[a-z]/.test(word)) {
      const isKnown =
        /^(?:-h|--help)$/.test(word) ||
        known.some(({ long, short }) => [long, short].includes(word.split('=')[0]));
      if (!isKnown) return `\`${command.name()}\` has no option ${word}.`;
    } else if (command.registeredArguments.length === 0 && !takesValue(args, word, known)) {
      return /^[<[…]/.test(word) ? undefined : `There is no command ${word}.`;
    }
  }
  return undefined;
}

/** Returns true if a word is the value of the option before it. */
function takesValue(
  args: readonly string[],
  word: string,
  known: readonly { readonly long?: string | undefined }[],
): boolean {
  const before = args[args.indexOf(word) - 1];
  return before !== undefined && known.some(({ long }) => long === before);
}

function problemOfNpm(
  [verb = '', name = '']: readonly string[],
  document: string,
): string | undefined {
  const script = verb === 'run' ? name : verb;
  if (verb !== 'run' && verb !== 'start' && verb !== 'test') return undefined;
  // A template's README is about the created project.
  const [folder] = /^packages\/create-holdpoint\/templates\/\w+/.exec(document) ?? [
    /^(?:bench|conformance)\//.test(document) ? dirname(document) : '.',
  ];
  const found = [folder, '.'].some((path) => Object.hasOwn(scriptsOf(path), script));
  return found ? undefined : `There is no script ${script}.`;
}

function scriptsOf(folder: string): object {
  const path = join(repository, folder, 'package.json');
  if (!existsSync(path)) return {};
  // A manifest of this repository.
  const { scripts } = JSON.parse(readFileSync(path, 'utf8')) as { scripts?: object };
  return scripts ?? {};
}
