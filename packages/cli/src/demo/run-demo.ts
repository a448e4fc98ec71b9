import { Agent } from 'holdpoint';
import { withInterrupt } from '../chat/with-interrupt.ts';
import { Activity } from '../terminal/activity.ts';
import { Screen } from '../terminal/screen.ts';
import { isTerminal } from '../terminal/terminal-streams.ts';
import { anotherProcess, editedHistory, forgedAnswer, resumedTwice } from './acts.ts';
import { type ChosenModel, chooseModel } from './choose-model.ts';
import { fileTools, owner } from './file-tools.ts';
import { type Person, realPerson, scriptedPerson } from './person.ts';
import { Sandbox } from './sandbox.ts';
import { Stage } from './stage.ts';

/** Long enough to read along. */
const PAUSE = 20;
const TASK = 'Get the kettle ready for 1.3.0: change log, old logs, and who reviews it.';

/** Shows what Holdpoint does; gives the exit code. */
export async function runDemo(): Promise<number> {
  const screen = new Screen(process.stdout);
  const isWatched = isTerminal(process.stdin) && isTerminal(process.stdout);
  const person = isWatched ? realPerson() : scriptedPerson(screen);
  const chosen = await chooseModel(process.env, isWatched);
  const sandbox = Sandbox.make();
  try {
    await withInterrupt(async (signal) => {
      introduce(screen, chosen, sandbox, isWatched);
      await play({ screen, sandbox, person, chosen, signal });
    });
    return 0;
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
    screen.plain({ text: 'The demo ends here.', style: 'dim' });
    return 130;
  } finally {
    sandbox.remove();
  }
}

function introduce(
  screen: Screen,
  { description }: ChosenModel,
  { root }: Sandbox,
  isWatched: boolean,
): void {
  screen.plain(
    {
      text: `· ${description}`,
      style: 'dim',
      label: { text: 'Holdpoint ', style: ['bold', 'cyan'] },
    },
    { text: `The agent works in ${root}, which is removed at the end.`, style: 'dim' },
  );
  if (isWatched) return;
  const text = 'There is no terminal here, so a scripted person answers in your place.';
  screen.plain({ text, style: 'yellow' });
}

interface Play {
  readonly screen: Screen;
  readonly sandbox: Sandbox;
  readonly person: Person;
  readonly chosen: ChosenModel;
  readonly signal: AbortSignal;
}

async function play({ screen, sandbox, person, chosen, signal }: Play): Promise<void> {
  const stage = new Stage(screen);
  stage.heading('Reads run, writes ask, deletions need a reason, one answer comes from outside');
  screen.plain({ text: '' }, { text: TASK, label: { text: 'you   ', style: ['bold', 'green'] } });
  const agent = new Agent({
    name: 'agent',
    model: chosen.model,
    instructions: 'You prepare releases. Say briefly what you are about to do, then do it.',
    tools: fileTools,
    toolsets: [owner],
    digests: true,
    retries: 3,
  });
  const activity = new Activity(screen, 'agent');
  const deferredToolHandler = person.handler;
  const run = agent.stream(TASK, { deps: sandbox, signal, deferredToolHandler });
  for await (const event of run) {
    activity.show(event);
    if (isTerminal(process.stdout) && event.kind === 'text-delta') await pause();
  }
  stage.outcome(`the folder has ${sandbox.list().join(', ')}`);

  await anotherProcess(stage, sandbox, person);
  await resumedTwice(stage, sandbox);
  await forgedAnswer(stage, sandbox);
  await editedHistory(stage, sandbox);
  screen.plain(
    { text: '' },
    { text: 'holdpoint chat <agent-file> does this with an agent of yours.', style: 'dim' },
  );
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, PAUSE);
  });
}
