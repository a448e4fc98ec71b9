import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { relative } from 'node:path';
import { type Arguments, readArguments } from './arguments.ts';
import { createProject, ownVersion } from './create-project.ts';
import { type Choice, promptForMissing } from './prompts.ts';
import { TEMPLATE_NAMES, TEMPLATES } from './templates.ts';
import { UsageError } from './usage-error.ts';

const HELP = `Usage: npm create holdpoint [folder] [-- options]

Creates a project with an agent whose tool calls need approval. It needs no API key.

Options:
  -t, --template <name>  ${TEMPLATE_NAMES.join(', ')}
  -i, --install          also runs \`npm install\`
  -h, --help             shows this text
  -v, --version          shows the version

Templates:
${TEMPLATE_NAMES.map((name) => `  ${name.padEnd(9)} ${TEMPLATES[name]}`).join('\n')}`;

/** Runs the program and returns its exit code: 0, 1 for a failed installation, or 2 for wrong usage. */
export async function main(args: readonly string[]): Promise<number> {
  try {
    const given = readArguments(args);
    if (given.help) console.log(HELP);
    else if (given.version) console.log(await ownVersion());
    else return await create(given);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(error.message);
    return 2;
  }
}

async function create(given: Arguments): Promise<number> {
  const { folder, template } = await completeChoice(given);
  const target = await createProject(folder, template);
  if (given.install && !(await runInstall(target))) {
    console.error(
      `\`npm install\` failed in ${target}. The files are written; run it again there.`,
    );
    return 1;
  }
  const path = relative('', target);
  const steps = [
    ...(path === '' ? [] : [`cd ${quoted(path)}`]),
    ...(given.install ? [] : ['npm install']),
    'npm test',
    'npm start',
  ];
  console.log(`Created the template \`${template}\` in ${target}. Next:\n`);
  console.log(steps.map((step) => `  ${step}`).join('\n'));
  return 0;
}

/** Returns a path as a shell reads it. */
function quoted(path: string): string {
  return /^[\w./\\:@+-]+$/.test(path) ? path : JSON.stringify(path);
}

async function completeChoice({ folder, template }: Arguments): Promise<Choice> {
  if (folder !== undefined && template !== undefined) return { folder, template };
  if (process.stdin.isTTY && process.stdout.isTTY) {
    return promptForMissing({ ...(folder && { folder }), ...(template && { template }) });
  }
  throw new UsageError(
    folder === undefined
      ? 'Missing argument: <folder>. Pass the folder of the new project.'
      : `Missing option: --template. Pass ${TEMPLATE_NAMES.join(', ')}.`,
  );
}

async function runInstall(target: string): Promise<boolean> {
  const installing = spawn('npm', ['install'], { cwd: target, stdio: 'inherit', shell: true });
  await once(installing, 'close');
  return installing.exitCode === 0;
}
