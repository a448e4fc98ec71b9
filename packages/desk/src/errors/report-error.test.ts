import { describe, expect, it, vi } from 'vitest';
import { errorFields } from './error-fields.ts';
import { jsonLogger } from './json-logger.ts';
import { checkLogger, type Logger } from './logger.ts';
import { reporterOf } from './report-error.ts';

/** Returns a logger and the lines that it wrote. */
function recordedLogger(): { logger: Logger; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const logger = jsonLogger({ level: 'debug', write: (line) => lines.push(JSON.parse(line)) });
  return { logger, lines };
}

describe('the fields of an error', () => {
  it('are its name, code, message, stack and causes', () => {
    const cause = Object.assign(new Error('connect refused'), { code: 'ECONNREFUSED' });

    expect(errorFields(new TypeError('No response.', { cause }))).toEqual({
      name: 'TypeError',
      message: 'No response.',
      stack: expect.stringContaining('TypeError: No response.'),
      cause: expect.objectContaining({ code: 'ECONNREFUSED', message: 'connect refused' }),
    });
  });

  it('leave out other members, and credentials in addresses and headers', () => {
    const text = 'GET postgres://admin:hunter2@db failed with Bearer abcdefghijkl';
    const error = Object.assign(new Error(text), { requestBodyValues: 'a prompt' });

    const fields = errorFields(error);

    expect(fields.message).toBe('GET postgres://***@db failed with Bearer ***');
    expect(JSON.stringify(fields)).not.toMatch(/hunter2|a prompt|abcdefghijkl/);
  });

  it.each([
    [Object.create(null), /cannot be shown/],
    [
      {
        get message() {
          throw new Error('no');
        },
      },
      /object Object/,
    ],
    ['a text', /^a text$/],
    [undefined, /^undefined$/],
  ])('can be made of any thrown value', (thrown, expected) => {
    expect(errorFields(thrown).message).toMatch(expected);
  });
});

describe('the JSON logger', () => {
  it('writes one line each, without characters that terminals interpret', () => {
    const written: string[] = [];
    const logger = jsonLogger({ write: (line) => written.push(line) });

    logger.child?.({ tenant: 't' }).warn({ text: 'a\nb\u001b[2J\u009b' }, 'A message.');
    logger.debug({}, 'not written');

    expect(written).toHaveLength(1);
    expect(written[0]).toMatch(/^\{"level":"warn","time":"20[^"]+Z","name":"holdpoint"/);
    // oxlint-disable-next-line no-control-regex
    expect(written[0]).toMatch(/^[^\u0000-\u001f\u007f-\u009f]*\n$/);
    expect(JSON.parse(written[0] ?? '')).toMatchObject({ tenant: 't', msg: 'A message.' });
  });

  it('writes the message if a field has no JSON form', () => {
    const { logger, lines } = recordedLogger();
    logger.info({ count: 1n }, 'Counted.');
    expect(lines).toMatchObject([{ level: 'info', msg: 'Counted.' }]);
  });
});

describe('desk B13: the reporter of errors', () => {
  it.each([
    [
      { outcome: 'retried', runId: 'r' },
      { level: 'warn', event: 'attempt-failed', runId: 'r' },
    ],
    [
      { outcome: 'stuck', tenant: 't' },
      { level: 'error', event: 'run-stuck', tenant: 't' },
    ],
    [{ outcome: 'failed' }, { level: 'error', event: 'run-failed' }],
    [
      { taskKind: 'outbox', taskId: 'e' },
      { event: 'attempt-failed', taskKind: 'outbox' },
    ],
    [{ requestId: 'q' }, { level: 'error', event: 'request-failed', requestId: 'q' }],
    [{}, { level: 'error', event: 'error' }],
  ] as const)('logs an error with the context %o', (context, expected) => {
    const { logger, lines } = recordedLogger();
    reporterOf({ logger }).onError(new Error('broken'), context);
    expect(lines).toMatchObject([{ ...expected, err: { message: 'broken' } }]);
  });

  it('calls onError, and logs too if there is a logger', () => {
    const { logger, lines } = recordedLogger();
    const errors: unknown[] = [];

    reporterOf({ logger, onError: (error) => errors.push(error) }).onError('broken');

    expect(errors).toEqual(['broken']);
    expect(lines).toHaveLength(1);
  });

  it('writes to standard error by default, and if onError or the logger fails', async () => {
    const write = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
    const fail = () => {
      throw new Error('broken logger');
    };
    const logger = { error: fail, warn: fail, info: fail, debug: fail };

    reporterOf({}).onError(new Error('first'));
    reporterOf({
      onError: () => {
        throw new Error('broken');
      },
    }).onError(new Error('second'));
    reporterOf({
      onError: async () => {
        throw new Error('rejected');
      },
    }).onError(new Error('third'));
    reporterOf({ logger }).onError(new Error('fourth'));
    await Promise.resolve();
    await Promise.resolve();

    const lines = write.mock.calls.map(([line]) => JSON.parse(String(line)).err.message);
    write.mockRestore();
    expect(lines.toSorted()).toEqual(
      ['first', 'second', 'broken', 'third', 'rejected', 'fourth', 'broken logger'].toSorted(),
    );
  });
});

describe('the option logger', () => {
  it('is rejected if a method is missing', () => {
    // @ts-expect-error: a caller without types may pass any object.
    expect(() => checkLogger({ info() {}, error() {}, warn() {} })).toThrow('method `debug`');
  });
});
