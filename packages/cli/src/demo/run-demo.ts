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
  const sandbox = Sandbox.make();
  try {
    await withInterrupt((signal) => play(part, { screen, sandbox, signal }), SIGNALS);
    return 0;
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
    screen.plain({ text: 'The demo ends here.', style: 'dim' });
    return 130;
  } finally {
    sandbox.remove();
  }
}

/** However somebody ends it, no process and no folder is left. */
const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

interface Theatre {
  readonly screen: Screen;
  readonly sandbox: Sandbox;
  readonly signal: AbortSignal;
}

async function play(part: Part, { screen, sandbox, signal }: Theatre): Promise<void> {
  const isWatched = isTerminal(process.stdin) && isTerminal(process.stdout);
  const stage = new Stage(screen);
  const chosen = await chooseModel(process.env, isWatched && part === 'all');
  introduce(part, { screen, sandbox, signal }, isWatched, chosen.description);

  // Loaded here: whoever wants something else of the program does not wait for it.
  const { atTheDesk } = await import('./desk-act.ts');
  await atTheDesk(stage, { sandbox, isWatched, signal });
  if (part === 'desk') return leave(screen);

  const person = isWatched ? realPerson() : scriptedPerson(screen);
  await whileItWaits(stage, { screen, sandbox, person, chosen, signal, isWatched });
  await anotherProcess(stage, sandbox, person);
  await resumedTwice(stage, sandbox);
  await forgedAnswer(stage, sandbox);
  await editedHistory(stage, sandbox);
  leave(screen);
}

function introduce(
  part: Part,
  { screen, sandbox: { root } }: Theatre,
  isWatched: boolean,
  model: string,
): void {
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
