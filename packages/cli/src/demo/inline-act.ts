import { Agent } from 'holdpoint';
import { Activity } from '../terminal/activity.ts';
import type { Screen } from '../terminal/screen.ts';
import type { ChosenModel } from './choose-model.ts';
import { fileTools, owner } from './file-tools.ts';
import type { Person } from './person.ts';
import { pause } from './processes.ts';
import type { Sandbox } from './sandbox.ts';
import type { Stage } from './stage.ts';

const TASK = 'Get the kettle ready for 1.3.0: change log, old logs, and who reviews it.';

/** What the act plays with. */
interface Surroundings {
  readonly screen: Screen;
  readonly sandbox: Sandbox;
  readonly person: Person;
  readonly chosen: ChosenModel;
  readonly signal: AbortSignal;
  /** Whether somebody sits there and reads along. */
  readonly isWatched: boolean;
}

/** An agent tidies up a folder, and asks while its run waits. */
export async function whileItWaits(stage: Stage, surroundings: Surroundings): Promise<void> {
  const { screen, sandbox, person, chosen, signal, isWatched } = surroundings;
  stage.heading('Reads run, writes ask, deletions need a reason, one answer comes from outside');
  screen.plain({ text: '' }, { text: TASK, label: { text: 'you   ', style: ['bold', 'green'] } });
  const agent = new Agent({
    name: 'agent',
    model: chosen.model,
    instructions: 'You prepare releases. Say briefly what you are about to do, then do it.',
    tools: fileTools,
    toolsets: [owner],
    durability: { digests: true },
    retries: 3,
  });
  const activity = new Activity(screen, 'agent');
  const deferredToolHandler = person.handler;
  const run = agent.stream(TASK, { deps: sandbox, signal, deferredToolHandler });
  for await (const event of run) {
    activity.show(event);
    // Long enough to read along.
    if (isWatched && event.kind === 'text-delta') await pause();
  }
  stage.outcome(`the folder has ${sandbox.list().join(', ')}`);
}
