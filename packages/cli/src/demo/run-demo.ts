import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withInterrupt } from '../chat/interrupt.ts';
import { isTerminal } from '../terminal/prompter.ts';
import { ACTS } from './acts.ts';
import { chooseModel } from './models.ts';
import { realPerson, scriptedPerson } from './person.ts';
import { Sandbox } from './sandbox.ts';
import { Stage } from './stage.ts';

/** The part of the demo to play: everything, or only the desk. */
export type DemoPart = 'all' | 'desk';

/** Ends its processes and removes its folder after any signal. */
const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Plays the demo; returns the exit code. */
export async function runDemo(part: DemoPart): Promise<number> {
  const stage = new Stage(isTerminal(process.stdin) && isTerminal(process.stdout));
  const root = mkdtempSync(join(tmpdir(), 'holdpoint-demo-'));
  try {
    await withInterrupt((signal) => play(part, stage, root, signal), SIGNALS);
    showNextCommands(stage);
    return 0;
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
    stage.screen.plain({ text: 'The demo was stopped.', style: 'dim' });
    return 130;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function play(
  part: DemoPart,
  stage: Stage,
  root: string,
  signal: AbortSignal,
): Promise<void> {
  const { isInteractive, screen } = stage;
  const chosen = await chooseModel(process.env, isInteractive && part === 'all');
  introduce(part, stage, root, chosen.description);

  const [{ keepDeskOpen, playDeskAct }, { Site }] = await loadDesk();
  // The inbox stays open until the demo ends.
  await using site = new Site(stage, root, signal);
  await playDeskAct(stage, site, signal);
  if (part === 'desk') {
    if (isInteractive) await keepDeskOpen(stage, site, signal);
    return;
  }
  if (isInteractive) stage.fact('The inbox stays open until the demo ends.');

  const sandbox = Sandbox.create(join(root, 'kettle'));
  const person = isInteractive ? realPerson() : scriptedPerson(screen);
  for (const playAct of ACTS) {
    const next = await stage.chooseNext(signal);
    if (next === 'end') return;
    if (next === 'skip') stage.skipAct();
    else await playAct({ stage, sandbox, person, chosen, signal });
  }
}

/**
 * Loads the desk when it is needed. TypeScript 6.0 does not rewrite the names of modules that are imported in
 * a function with `using`.
 */
function loadDesk() {
  return Promise.all([import('./desk-act.ts'), import('./site.ts')]);
}

function introduce(
  part: DemoPart,
  { screen, isInteractive }: Stage,
  root: string,
  model: string,
): void {
  screen.plain(
    { text: `· ${model}`, style: 'dim', label: { text: 'Holdpoint ', style: ['bold', 'cyan'] } },
    { text: `The demo works in ${root} and deletes it at the end.`, style: 'dim' },
  );
  if (part === 'all') {
    const text =
      'Six acts: first the desk, then the library without a desk. Ctrl-C stops the demo.';
    screen.plain({ text, style: 'dim' });
  }
  if (isInteractive) return;
  const text = 'There is no terminal, so a scripted approver decides.';
  screen.plain({ text, style: 'yellow' });
}

/** For users of the package. */
const NEXT_COMMANDS = [
  'npx holdpoint demo desk',
  'npm create holdpoint my-agent',
  'cd my-agent && npm install && npm start',
];
/** For users of a clone: its packages are not built, and may not be published. */
const NEXT_COMMANDS_IN_CLONE = [
  'npm start -- desk',
  'npx tsx --conditions=holdpoint-source examples/tutorial/2-desk/main.ts',
  'npm run docs',
];

function showNextCommands({ screen }: Stage): void {
  const commands = import.meta.url.endsWith('.ts') ? NEXT_COMMANDS_IN_CLONE : NEXT_COMMANDS;
  screen.plain(
    { text: '' },
    { text: 'Next:', style: 'dim' },
    ...commands.map((text) => ({ text, label: { text: '  ' } })),
  );
}
