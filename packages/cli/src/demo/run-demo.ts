import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withInterrupt } from '../chat/with-interrupt.ts';
import { Screen } from '../terminal/screen.ts';
import { isTerminal } from '../terminal/terminal-streams.ts';
import { anotherProcess, editedHistory, forgedAnswer, resumedTwice } from './acts.ts';
import { chooseModel } from './choose-model.ts';
import { whileItWaits } from './inline-act.ts';
import { realPerson, scriptedPerson } from './person.ts';
import { Sandbox } from './sandbox.ts';
import { Stage } from './stage.ts';

/** What of the demo is played: all of it, or only the act at the desk. */
export type Part = 'all' | 'desk';

/** Shows what Holdpoint does; gives the exit code. */
export async function runDemo(part: Part): Promise<number> {
  const screen = new Screen(process.stdout);
  const root = mkdtempSync(join(tmpdir(), 'holdpoint-demo-'));
  try {
    await withInterrupt((signal) => play(part, { screen, root, signal }), SIGNALS);
    return 0;
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
    screen.plain({ text: 'The demo ends here.', style: 'dim' });
    return 130;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** However somebody ends it, no process and no folder is left. */
const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

interface Theatre {
  readonly screen: Screen;
  /** The folder in which everything happens. */
  readonly root: string;
  readonly signal: AbortSignal;
}

async function play(part: Part, theatre: Theatre): Promise<void> {
  const { screen, root, signal } = theatre;
  const isWatched = isTerminal(process.stdin) && isTerminal(process.stdout);
  const stage = new Stage(screen);
  const chosen = await chooseModel(process.env, isWatched && part === 'all');
  introduce(part, theatre, isWatched, chosen.description);

  const [{ atTheDesk }, { Site }, { stayOpen }] = await loadDesk();
  // Open to the end: somebody may be looking at the page.
  await using site = new Site(stage, root, signal);
  await atTheDesk(stage, { site, isWatched, signal });
  if (part === 'desk') {
    if (isWatched) await stayOpen(stage, site, signal);
    return leave(screen);
  }
  if (isWatched) stage.fact('The desk and its page stay open until the demo ends.');

  const sandbox = Sandbox.make(join(root, 'kettle'));
  const person = isWatched ? realPerson() : scriptedPerson(screen);
  await whileItWaits(stage, { screen, sandbox, person, chosen, signal, isWatched });
  await anotherProcess(stage, sandbox, person);
  await resumedTwice(stage, sandbox);
  await forgedAnswer(stage, sandbox);
  await editedHistory(stage, sandbox);
  leave(screen);
}

/**
 * Loaded late: whoever wants something else of the program does not wait for it. By itself, since the
 * compiler leaves such imports as they are in a function with `using`.
 */
function loadDesk() {
  return Promise.all([import('./desk-act.ts'), import('./site.ts'), import('./stay-open.ts')]);
}

function introduce(part: Part, { screen, root }: Theatre, isWatched: boolean, model: string): void {
  screen.plain(
    { text: `· ${model}`, style: 'dim', label: { text: 'Holdpoint ', style: ['bold', 'cyan'] } },
    { text: `Everything happens in ${root}, which is removed at the end.`, style: 'dim' },
  );
  if (part === 'all') {
    const text =
      'Six short acts: first the desk, then what the library does by itself. Ctrl-C leaves.';
    screen.plain({ text, style: 'dim' });
  }
  if (isWatched) return;
  const text = 'There is no terminal here, so a scripted person answers in your place.';
  screen.plain({ text, style: 'yellow' });
}

function leave(screen: Screen): void {
  const text =
    'holdpoint desk <desk-file> and holdpoint chat <agent-file> do this with agents of yours.';
  screen.plain({ text: '' }, { text, style: 'dim' });
}
