// A program that runs an agent many times under one signal and prints the leaks as JSON.
// signal-leak.test.ts starts it in a separate process with `--expose-gc`.
import { getEventListeners, setMaxListeners } from 'node:events';
import { Agent, captureRunMessages, type Message, tool } from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { present } from '../../support/present.ts';

/** The options of the probe. */
export interface ProbeOptions {
  /** The number of runs. */
  readonly runs: number;
  /**
   * The number of warm-up runs before the first measurement of the heap. The second one is at the
   * end.
   */
  readonly warmUp: number;
  /** True if each run leaks a listener on purpose, to check that the probe detects it. */
  readonly leak: boolean;
}

/** The measurements of the probe. */
export interface ProbeReport {
  readonly ended: { readonly finished: number; readonly failed: number; readonly broken: number };
  /** The maximum number of listeners on the signal during a tool execution. */
  readonly maxListeners: number;
  /** The number of listeners on the signal at the end. */
  readonly listeners: number;
  /** The growth of the heap after the warm-up, in bytes. */
  readonly heapGrowth: number;
}

const { signal } = new AbortController();
setMaxListeners(0, signal);
const ended = { finished: 0, failed: 0, broken: 0 };
let maxListeners = 0;

const look = () => {
  maxListeners = Math.max(maxListeners, getEventListeners(signal, 'abort').length);
  return 'seen';
};
const tools = {
  look: tool({ execute: look }),
  read_signal: tool({ execute: (_args, ctx) => (ctx.signal.aborted ? 'aborted' : look()) }),
  listen: tool({
    execute: (_args, ctx) => {
      ctx.signal.addEventListener('abort', () => {});
      return look();
    },
  }),
  hurry: tool({ timeout: 60_000, execute: (_args, ctx) => String(ctx.signal.aborted) }),
  fail: tool({
    execute: (_args, ctx) => {
      ctx.signal.throwIfAborted();
      throw new Error('No.');
    },
  }),
};

/** Calls the tools that the prompt names, and then sends text. */
const model = functionModel(({ messages }) => {
  const part = messages.at(-1)?.parts[0];
  if (part?.kind !== 'user-prompt') return says('Done.', { chunks: ['Do', 'ne.'] });
  const [what, ...names] = String(part.content).split(' ');
  if (what === 'refuse') throw new Error('Refused.');
  return what === 'call'
    ? responds(...names.map((name) => calls(name)))
    : says('Hello.', { chunks: ['Hel', 'lo.'] });
});
const agent = new Agent({ model, tools });

/** The kinds of runs, in turn. */
const ways: readonly (() => Promise<unknown>)[] = [
  () => agent.run('greet', { signal }),
  () => agent.run('call look_at_signal', { signal }),
  () => agent.run('call look listen hurry', { signal }),
  () => agent.run('call look fail', { signal }),
  () => agent.run('refuse', { signal }),
  () => agent.stream('call listen', { signal }).result,
  () => breakOff(agent.stream('greet', { signal })),
  () => breakOff(agent.stream('call look_at_signal', { signal }), 'tool-result'),
  () => breakOff(agent.iter('call look_at_signal', { signal }), 'call-tools'),
  () => agent.override({ instructions: 'Be brief.' }, () => agent.run('greet', { signal })),
  () => captureRunMessages(() => agent.run('call look_at_signal', { signal })),
];

/** Ends a run early: at the first event or step of this kind, or at the first of any kind. */
async function breakOff(
  run: AsyncIterable<{ readonly kind: string }> & { readonly messages: readonly Message[] },
  kind?: string,
): Promise<void> {
  for await (const event of run) if (kind === undefined || event.kind === kind) break;
  ended.broken += 1;
}

async function probe({ runs, warmUp, leak }: ProbeOptions): Promise<ProbeReport> {
  let heapBefore = 0;
  for (let count = 0; count < runs; count += 1) {
    if (count === warmUp) heapBefore = await usedHeap();
    const { broken } = ended;
    try {
      const result = await present(ways[count % ways.length])();
      if (ended.broken === broken) ended.finished += 1;
      if (leak) signal.addEventListener('abort', () => void result);
    } catch {
      ended.failed += 1;
      if (leak) signal.addEventListener('abort', () => {});
    }
  }
  const heapGrowth = (await usedHeap()) - heapBefore;
  const listeners = getEventListeners(signal, 'abort').length;
  return { ended, maxListeners, listeners, heapGrowth };
}

/** Returns the heap size in bytes after a garbage collection. */
async function usedHeap(): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    await present(globalThis.gc)({ type: 'major', execution: 'async' });
  }
  return process.memoryUsage().heapUsed;
}

const options: ProbeOptions = JSON.parse(present(process.argv[2]));
console.log(JSON.stringify(await probe(options)));
