import { describe, expect, it, vi } from 'vitest';
import type { Environment } from '../context/environment.ts';
import { UserError } from '../errors/user-errors.ts';
import { fakeClock, seededRandom } from './fake-clock.ts';
import { recordingEnvironment, replayingEnvironment } from './recorded-environments.ts';
import { ReplayMismatchError } from './recording.ts';
import { shufflingEnvironment } from './shuffling-environment.ts';

/** A small run: a request, a batch of calls with timeouts, and a request for the text output. */
async function miniRun(environment: Environment, act: (name: string) => Promise<unknown>) {
  const log: unknown[] = [];
  const step = (name: string) => environment.step(name, () => act(name));
  log.push(environment.newId(), await step('model'), environment.now());
  const calls = ['tool:a', 'tool:b', 'tool:c'].map((name) =>
    environment.race([step(name), environment.sleep(1000).then(() => 'late')]),
  );
  await environment.all(calls, (value, index) => {
    log.push([index, value, environment.random(), environment.replaying()]);
  });
  log.push(await step('model'), environment.newId());
  return log;
}

async function recorded(base: Environment = fakeClock()) {
  const environment = recordingEnvironment(base);
  let count = 0;
  const log = await miniRun(environment, async (name) => ({ name, count: ++count }));
  // A stored recording is JSON.
  return { log, recording: JSON.parse(JSON.stringify(environment.recording)) };
}

const never = () => Promise.reject(new Error('the action ran'));
const withoutReplaying = (log: unknown[]) =>
  log.map((entry) => (Array.isArray(entry) ? entry.slice(0, 3) : entry));

describe('replayingEnvironment', () => {
  it('returns the values of the recorded run without executing anything', async () => {
    const { log, recording } = await recorded();
    const environment = replayingEnvironment(recording, { base: fakeClock({ start: 9, seed: 9 }) });

    const again = await miniRun(environment, never);

    expect(withoutReplaying(again)).toEqual(withoutReplaying(log));
    expect(environment.recording).toEqual(recording);
    expect(environment.remaining).toBe(0);
  });

  it.each([1, 2, 3, 4, 5])(
    'ends parallel steps in the recorded order, with seed %i',
    async (seed) => {
      const { log, recording } = await recorded(shufflingEnvironment(seed, fakeClock()));

      const again = await miniRun(replayingEnvironment(recording), never);

      expect(withoutReplaying(again)).toEqual(withoutReplaying(log));
    },
  );

  it('returns the recorded winners of races', async () => {
    const hung = (name: string) =>
      name === 'tool:b' ? new Promise<never>(() => {}) : Promise.resolve(name);
    const clock = fakeClock();
    const recording = recordingEnvironment(clock);
    const running = miniRun(recording, hung);
    await clock.advance(1000);
    const log = await running;

    const again = await miniRun(
      replayingEnvironment(recording.recording, { base: fakeClock() }),
      hung,
    );

    expect(log).toContainEqual([1, 'late', expect.any(Number), false]);
    expect(withoutReplaying(again)).toEqual(withoutReplaying(log));
  });

  it('replays until the last recorded step has arrived', async () => {
    const { recording } = await recorded();
    const environment = replayingEnvironment(recording);
    expect(environment.replaying()).toBe(true);
    expect(environment.remaining).toBe(5);

    await miniRun(environment, never);

    expect(environment.replaying()).toBe(false);
  });

  it('restores errors by name and message, thrown or returned', async () => {
    const run = async (environment: Environment, act: () => Promise<unknown>) => ({
      returned: await environment.step('a', act),
      thrown: await environment
        .step('b', () => Promise.reject(new RangeError('far')))
        .catch((error: unknown) => error),
    });
    const recording = recordingEnvironment();
    await run(recording, async () => ({ kind: 'error', error: new TypeError('broken') }));

    const { returned, thrown } = await run(replayingEnvironment(recording.recording), never);

    expect(returned).toEqual({ kind: 'error', error: expect.any(Error) });
    expect(returned).toMatchObject({ error: { name: 'TypeError', message: 'broken' } });
    expect(thrown).toMatchObject({ name: 'RangeError', message: 'far' });
  });

  it('restores the codes of errors, also of errors with toJSON', async () => {
    const recording = recordingEnvironment();
    const error = new UserError('wrong', { code: 'nothing-pending' });
    await recording.step('a', async () => ({ kind: 'error', error }));

    const replaying = replayingEnvironment(recording.recording);
    const returned = await replaying.step<{ kind: string; error: Error }>('a', never);

    expect(returned.error).toBeInstanceOf(Error);
    expect(returned.error).toMatchObject({
      name: 'UserError',
      code: 'nothing-pending',
      message: 'wrong',
    });
  });

  it.each([0, 1, 2, 3, 4, 5, 9])(
    'continues live and records further after %i steps',
    async (upTo) => {
      const { log, recording } = await recorded();
      const done: string[] = [];
      const environment = replayingEnvironment(recording, { upTo, base: fakeClock() });

      const again = await miniRun(environment, async (name) => {
        done.push(name);
        return { name };
      });

      expect(done).toHaveLength(Math.max(0, 5 - upTo));
      expect(again).toHaveLength(log.length);
      expect(environment.replaying()).toBe(false);
      const continued = await miniRun(replayingEnvironment(environment.recording), never);
      expect(withoutReplaying(continued)).toEqual(withoutReplaying(again));
    },
  );

  it('executes steps in progress again, and starts them synchronously', async () => {
    const recording = recordingEnvironment();
    const first = recording.step('tool:a', async () => 'a');
    void recording.step('tool:b', () => new Promise(() => {}));
    await first;
    const environment = replayingEnvironment(recording.recording);
    const again = vi.fn(async () => 'b');

    const waiting = [environment.step('tool:a', never), environment.step('tool:b', again)];

    expect(again).toHaveBeenCalledOnce();
    expect(await environment.all<unknown>(waiting)).toEqual(['a', 'b']);
  });

  it('replays two concurrent runs', async () => {
    const random = seededRandom(3);
    const side = async (environment: Environment, name: string, act: () => Promise<unknown>) => {
      const log: unknown[] = [];
      for (let turn = 0; turn < 5; turn++) {
        log.push(environment.newId(), await environment.step(`${name}:${turn}`, act));
        for (let ticks = name.length; ticks > 0; ticks--) await Promise.resolve();
      }
      return log;
    };
    const both = (environment: Environment, act: () => Promise<unknown>) =>
      Promise.all(['left', 'a longer name'].map((name) => side(environment, name, act)));
    const recording = recordingEnvironment();
    const log = await both(recording, async () => {
      for (let ticks = Math.floor(random() * 30); ticks > 0; ticks--) await Promise.resolve();
      return random();
    });

    expect(await both(replayingEnvironment(recording.recording), never)).toEqual(log);
  });

  describe('when the run diverges', () => {
    it('throws an error with the recorded and the requested step', async () => {
      const { recording } = await recorded();
      const environment = replayingEnvironment(recording);
      environment.newId();

      expect(() => environment.step('tool:x', never)).toThrow(ReplayMismatchError);
      expect(() => environment.step('tool:x', never)).toThrow(
        'it requested `step tool:x`, but `step model` was recorded (entry 1).',
      );
    });

    it('detects requests of another kind', async () => {
      const { recording } = await recorded();

      expect(() => replayingEnvironment(recording).now()).toThrow('requested `now`, but `id`');
    });

    it('throws for every request after the error', async () => {
      const { recording } = await recorded();
      const environment = replayingEnvironment(recording);
      expect(() => environment.random()).toThrow(ReplayMismatchError);

      expect(() => environment.newId()).toThrow(ReplayMismatchError);
    });

    it('detects steps in another order', async () => {
      const recording = recordingEnvironment();
      await recording.all([recording.step('a', async () => 1), recording.step('b', async () => 2)]);

      expect(() => replayingEnvironment(recording.recording).step('b', never)).toThrow(
        'requested `step b`, but `step a`',
      );
    });
  });
});
