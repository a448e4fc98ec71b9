import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { DeferredToolResults, MemoryLedger, messageCodec, resultsCodec } from 'holdpoint';
import type { Person } from './person.ts';
import { moduleAt } from './processes.ts';
import { park, published, releaseAgent, resumed } from './release.ts';
import type { Sandbox } from './sandbox.ts';
import type { Stage } from './stage.ts';

/** The run ends here and goes on in another process. */
export async function anotherProcess(
  stage: Stage,
  sandbox: Sandbox,
  person: Person,
): Promise<void> {
  stage.heading('Without a desk a parked run is JSON, and any process can go on with it');
  const parked = await park(releaseAgent({ digests: true }), sandbox);
  const history = messageCodec.stringify(parked.messages);
  sandbox.write('parked.json', history);
  stage.fact(
    `The agent wants to publish. Its run is parked: ${history.length} bytes of JSON in a file.`,
  );
  sandbox.write('answers.json', resultsCodec.stringify(await person.answer(parked.output)));

  const arguments_ = [...process.execArgv, moduleAt('./resume-elsewhere'), sandbox.root];
  const { stdout } = await promisify(execFile)(process.execPath, arguments_);
  stage.fact(`This is process ${process.pid}. ${stdout.trim()}`);
  stage.outcome(`published: ${published(sandbox).join(', ') || 'nothing'}`);
}

/** Two resume the same run at the same time. */
export async function resumedTwice(stage: Stage, sandbox: Sandbox): Promise<void> {
  stage.heading('Resumed twice, it runs once');
  for (const ledger of [undefined, new MemoryLedger()]) {
    const agent = releaseAgent({ ledger });
    const parked = await park(agent, sandbox);
    const results = parked.output.buildResults({ approveAll: true });
    const both = [1, 2].map(() => resumed(agent, parked, results, sandbox));
    const [one, other] = await Promise.all(both);
    stage.fact(`${ledger === undefined ? 'Without' : 'With'} a ledger: “${one}” and “${other}”`);
    stage.outcome(`published ${times(published(sandbox).length)}`, ledger !== undefined);
  }
  stage.fact(
    'This ledger is in memory, so it holds for this process; that of a desk holds for all.',
  );
}

/** Somebody makes up an approval. */
export async function forgedAnswer(stage: Stage, sandbox: Sandbox): Promise<void> {
  stage.heading('A forged answer does not run');
  const agent = releaseAgent({ ledger: new MemoryLedger() });
  const parked = await park(agent, sandbox);

  const madeUp = new DeferredToolResults({ approvals: { p1: true, p2: true } });
  stage.fact(`A yes to a call that nobody made: ${await resumed(agent, parked, madeUp, sandbox)}`);

  const forged = parked.output.buildResults({ approveAll: true });
  const another = await park(releaseAgent({ digests: true }), sandbox);
  stage.fact(
    `The yes of one run, used for another one: ${await resumed(releaseAgent({}), another, forged, sandbox)}`,
  );
  stage.outcome(`published ${times(published(sandbox).length)}`);
}

/** Somebody changes what is stored, after the approval. */
export async function editedHistory(stage: Stage, sandbox: Sandbox): Promise<void> {
  stage.heading('Arguments that were changed where they are stored do not run');
  const agent = releaseAgent({ digests: true });
  const parked = await park(agent, sandbox);
  const results = parked.output.buildResults({ approveAll: true });
  const stored = messageCodec.stringify(parked.messages).replaceAll('1.3.0', '6.6.6');

  const outcome = await resumed(agent, { messages: messageCodec.parse(stored) }, results, sandbox);
  stage.fact(`Approved was 1.3.0, stored is now 6.6.6: ${outcome}`);
  stage.outcome(`published ${times(published(sandbox).length)}`);
}

function times(count: number): string {
  return ['nothing', 'once', 'twice'][count] ?? `${count} times`;
}
