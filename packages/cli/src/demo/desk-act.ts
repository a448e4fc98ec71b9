import { randomBytes } from 'node:crypto';
import { relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type DeskClient, deskClient, type RunView } from '@holdpoint/desk/client';
import { shortId } from '../desk/find-id.ts';
import { DEMO_KEY, DEMO_ROOT, DESK_FILE, tokenOf } from './demo-people.ts';
import {
  type Environment,
  moduleAt,
  pause,
  RunningCommand,
  runCommand,
  runCommandHere,
} from './processes.ts';
import { forgetPublished, published } from './release.ts';
import type { Sandbox } from './sandbox.ts';
import type { Stage } from './stage.ts';

/** What the act plays with. */
interface Surroundings {
  readonly sandbox: Sandbox;
  /** Whether somebody sits there who can be asked. */
  readonly isWatched: boolean;
  readonly signal: AbortSignal;
}

/** A run waits at a desk, which is killed meanwhile, and somebody approves it from the command line. */
export async function atTheDesk(stage: Stage, surroundings: Surroundings): Promise<void> {
  stage.heading('A run waits at a desk, and you approve it from the command line');
  forgetPublished(surroundings.sandbox);
  await using site = new Site(stage, surroundings);
  await site.open();
  const { id: runId } = await site.as('ada').start({ agent: 'release', prompt: 'Publish 1.3.0.' });
  await site.until(runId, 'parked');
  stage.fact('Ada asks the agent there to publish 1.3.0. That needs approval: the run is parked.');
  await site.command(['holds'], 'you');

  await site.kill();
  stage.fact('Now the desk is killed (kill -9), and another process opens it again.');
  await site.open();

  const [hold] = (await site.as('you').holds({ runId })).items;
  if (hold === undefined) throw new Error('The run did not wait for anybody.');
  await approve(stage, site, surroundings, shortId(hold.id));
  if ((await site.as('you').run(runId)).state === 'parked') {
    return stage.fact('It waits on. Nothing happens until somebody answers.');
  }
  const { state, output } = await site.until(runId, 'finished');
  const told = state === 'finished' ? `“${String(output)}”` : `it is ${state}`;
  stage.fact(`The desk has gone on with the run: ${told}`);
  stage.outcome(`published: ${published(surroundings.sandbox).join(', ') || 'nothing'}`);

  await afterwards(stage, site, surroundings, { runId, holdId: shortId(hold.id) });
}

/** The approval comes from whoever sits there, or as it is written down. */
async function approve(
  stage: Stage,
  site: Site,
  { isWatched, signal }: Surroundings,
  holdId: string,
): Promise<void> {
  if (!isWatched) return site.command(['approve', holdId, '--yes'], 'you');
  const command = ['approve', holdId];
  stage.command(command);
  signal.throwIfAborted();
  const exitCode = await runCommandHere(command, site.environmentOf('you'));
  if (exitCode === 130) throw new DOMException('Stopped with Ctrl-C.', 'AbortError');
}

/** Somebody comes too late; the audit is whole; then somebody writes another name into it. */
async function afterwards(
  stage: Stage,
  site: Site,
  { sandbox }: Surroundings,
  ids: { readonly runId: string; readonly holdId: string },
): Promise<void> {
  const late = ['deny', ids.holdId, '--yes'];
  const verify = ['audit', 'verify', shortId(ids.runId)];
  stage.fact('Mallory comes later, and wants something else:');
  stage.command(late);
  // Neither changes anything, so they need not wait for each other.
  const [denied, whole] = await Promise.all([site.run(late, 'mallory'), site.run(verify, 'you')]);
  stage.output(denied);
  stage.command(verify);
  stage.output(withoutBlindSpots(whole));

  giveCreditTo('mallory', sandbox);
  stage.fact('Somebody writes “mallory” over the name of who approved, in the database:');
  stage.command(verify);
  const forged = await site.run(verify, 'you');
  stage.output(withoutBlindSpots(forged));
  const isFound = whole.startsWith('Intact') && forged.startsWith('Damaged');
  stage.outcome(isFound ? 'it is found' : 'it is not found', isFound);
}

/** What an audit cannot show is for those who have time to read it. */
function withoutBlindSpots(printed: string): string {
  return printed.replace(/\nWhat (?:this|else)[^]*/, '');
}

/** Does what the desk would not: changes who has answered. */
function giveCreditTo(name: string, sandbox: Sandbox): void {
  const database = new DatabaseSync(sandbox.pathOf(DESK_FILE));
  try {
    const update = `update desk_audit set "by" = ? where kind = 'hold-answered'`;
    database.prepare(update).run(JSON.stringify({ id: name }));
  } finally {
    database.close();
  }
}

/** Where the desk is served, and asked. */
class Site implements AsyncDisposable {
  readonly #stage: Stage;
  readonly #sandbox: Sandbox;
  readonly #signal: AbortSignal;
  /** What only this demo knows. */
  readonly #key = randomBytes(16).toString('hex');
  #desk: RunningCommand | undefined;
  #url = '';

  constructor(stage: Stage, { sandbox, signal }: Surroundings) {
    this.#stage = stage;
    this.#sandbox = sandbox;
    this.#signal = signal;
  }

  /** Serves the desk in a process of its own. */
  async open(): Promise<void> {
    const command = ['desk', relative(process.cwd(), moduleAt('./demo-desk')), '--port', '0'];
    this.#stage.command(command);
    const env = { [DEMO_ROOT]: this.#sandbox.root, [DEMO_KEY]: this.#key };
    this.#desk = new RunningCommand(command, env);
    this.#url = await this.#desk.printed(/open at (\S+)[^]*Ctrl-C/, this.#signal);
    this.#stage.fact(
      `The desk is open at ${this.#url}, process ${this.#desk.pid}, in ${DESK_FILE}.`,
    );
  }

  /** The desk as somebody asks it over HTTP. */
  as(person: string): DeskClient {
    const authorization = `Bearer ${tokenOf(person, this.#key)}`;
    return deskClient({ url: this.#url, headers: { authorization } });
  }

  /** What somebody has set in their terminal. */
  environmentOf(person: string): Environment {
    return { HOLDPOINT_URL: this.#url, HOLDPOINT_TOKEN: tokenOf(person, this.#key) };
  }

  /** Runs a command of somebody; gives what it prints. */
  async run(args: readonly string[], person: string): Promise<string> {
    const env = this.environmentOf(person);
    const { printed } = await runCommand(args, { env, signal: this.#signal });
    return printed;
  }

  /** Shows a command of somebody, runs it, and shows what it prints. */
  async command(args: readonly string[], person: string): Promise<void> {
    this.#stage.command(args);
    this.#stage.output(await this.run(args, person));
  }

  /** Waits until a run is in a state, or has ended otherwise. */
  async until(runId: string, wanted: RunView['state']): Promise<RunView> {
    for (;;) {
      this.#signal.throwIfAborted();
      const run = await this.as('you').run(runId);
      if ([wanted, 'failed', 'stuck', 'finished'].includes(run.state)) return run;
      await pause();
    }
  }

  /** Kills the desk. */
  async kill(): Promise<void> {
    await this.#desk?.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    for (const beside of ['', '-wal', '-shm']) this.#sandbox.delete(`${DESK_FILE}${beside}`);
    forgetPublished(this.#sandbox);
  }
}
