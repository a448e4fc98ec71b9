import { describe, expect, it } from 'vitest';
import { fakeClock } from './fake-clock.ts';
import { recordingEnvironment } from './recorded-environments.ts';

describe('recordingEnvironment', () => {
  it('records everything that a run receives, as plain JSON', async () => {
    const environment = recordingEnvironment(fakeClock({ start: 5 }));

    const now = environment.now();
    const id = environment.newId();
    const random = environment.random();
    const result = await environment.step('model', async () => ({ text: 'Hi' }));

    expect(result).toEqual({ text: 'Hi' });
    expect(environment.recording).toStrictEqual({
      requests: [
        { kind: 'now', value: now },
        { kind: 'id', value: id },
        { kind: 'random', value: random },
        { kind: 'step', name: 'model' },
      ],
      arrivals: [{ requestIndex: 3, requestCount: 4, value: { text: 'Hi' } }],
    });
  });

  it('records the name and the message of errors, thrown or returned', async () => {
    const environment = recordingEnvironment();
    const error = new TypeError('broken');

    const returned = await environment.step('tool:a', async () => ({ kind: 'error', error }));
    const thrown = environment.step('tool:b', async () => {
      throw error;
    });

    expect(returned.error).toBe(error);
    await expect(thrown).rejects.toBe(error);
    expect(environment.recording.arrivals).toStrictEqual([
      {
        requestIndex: 0,
        requestCount: 1,
        value: { kind: 'error', error: { $error: { name: 'TypeError', message: 'broken' } } },
      },
      { requestIndex: 1, requestCount: 2, error: { name: 'TypeError', message: 'broken' } },
    ]);
  });

  it('records steps and sleeps in the order in which they end', async () => {
    const clock = fakeClock();
    const environment = recordingEnvironment(clock);
    const seen: unknown[] = [];

    const all = environment.all<unknown>(
      [
        environment.step('slow', () => clock.sleep(20).then(() => 'slow')),
        environment.sleep(10),
        environment.step('quick', async () => 'quick'),
      ],
      (value, index) => seen.push([index, value]),
    );
    await clock.advance(30);

    expect(await all).toEqual(['slow', undefined, 'quick']);
    expect(seen).toEqual([
      [2, 'quick'],
      [1, undefined],
      [0, 'slow'],
    ]);
    expect(environment.recording.arrivals.map(({ requestIndex }) => requestIndex)).toEqual([
      2, 1, 0,
    ]);
    expect(environment.recording.arrivals[1]).toStrictEqual({ requestIndex: 1, requestCount: 3 });
  });

  it('starts actions synchronously and in order', () => {
    const environment = recordingEnvironment();
    const started: string[] = [];

    void environment.step('a', async () => started.push('a'));
    void environment.step('b', async () => started.push('b'));

    expect(started).toEqual(['a', 'b']);
  });

  it('delivers an end after the run has processed the previous one', async () => {
    const environment = recordingEnvironment();
    const log: string[] = [];
    const work = async (name: string) => {
      await environment.step(name, async () => name);
      for (let tick = 0; tick < 10; tick++) await Promise.resolve();
      log.push(name);
      environment.now();
    };

    await Promise.all([work('a'), work('b')]);

    expect(log).toEqual(['a', 'b']);
    expect(
      environment.recording.arrivals.map(({ requestIndex, requestCount }) => [
        requestIndex,
        requestCount,
      ]),
    ).toEqual([
      [0, 2],
      [1, 3],
    ]);
  });

  it('returns a copy of the recording', async () => {
    const environment = recordingEnvironment();
    const before = environment.recording;

    environment.newId();

    expect(before.requests).toEqual([]);
  });

  it('rejects results that JSON cannot represent', async () => {
    const environment = recordingEnvironment();

    await expect(environment.step('tool:count', async () => 1n)).rejects.toThrow(
      'The step `tool:count` returned a value that JSON cannot represent',
    );
  });

  it('rejects `all` immediately when its listener throws', async () => {
    const environment = recordingEnvironment();
    const waiting = environment.all(
      [
        environment.step('a', async () => 1),
        environment.step('b', () => new Promise<number>(() => {})),
      ],
      () => {
        throw new Error('stop');
      },
    );

    await expect(waiting).rejects.toThrow('stop');
  });

  it('never replays', () => {
    expect(recordingEnvironment().replaying()).toBe(false);
  });
});
