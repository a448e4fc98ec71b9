import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SharedStatements } from './shared-statements.ts';

/** A sent statement, to which the test responds. */
interface Sent {
  readonly requests: readonly number[];
  respond(responses: readonly string[]): void;
  fail(error: Error): void;
}

function openStatements() {
  const sent: Sent[] = [];
  const statements = new SharedStatements<number, string>(
    (requests) =>
      new Promise((resolve, reject) => {
        sent.push({ requests, respond: resolve, fail: reject });
      }),
  );
  return { sent, statements };
}

async function turns(count = 4): Promise<void> {
  for (let index = 0; index < count; index++) await turn();
}

describe('shared statements', () => {
  it('send the requests of one turn as one', async () => {
    const { sent, statements } = openStatements();
    const responses = Promise.all([1, 2, 3].map((request) => statements.send('a', request)));
    await turns();

    expect(sent.map(({ requests }) => requests)).toEqual([[1, 2, 3]]);
    sent[0]!.respond(['x', 'y', 'z']);
    expect(await responses).toEqual(['x', 'y', 'z']);
  });

  it('send requests together that arrive while a statement is executed', async () => {
    const { sent, statements } = openStatements();
    const first = statements.send('a', 1);
    await turns();
    const others = [2, 3].map((request) => statements.send('a', request));
    await turns();
    expect(sent).toHaveLength(1);
    sent[0]!.respond(['x']);
    await turns();

    expect(sent[1]!.requests).toEqual([2, 3]);
    sent[1]!.respond(['y', 'z']);
    expect(await Promise.all([first, ...others])).toEqual(['x', 'y', 'z']);
  });

  it('send the next half before the process handles the responses of the first', async () => {
    const { sent, statements } = openStatements();
    const sentAtResponse: number[] = [];
    for (let request = 0; request < 32; request++) {
      void statements.send('a', request).then(() => sentAtResponse.push(sent.length));
    }
    await turns();
    expect(sent.map(({ requests }) => requests.length)).toEqual([16]);
    sent[0]!.respond(sent[0]!.requests.map(String));
    await turns();

    expect(sent.map(({ requests }) => requests.length)).toEqual([16, 16]);
    expect(sentAtResponse).toEqual(Array.from({ length: 16 }, () => 2));
  });

  it('do not wait for other groups', async () => {
    const { sent, statements } = openStatements();
    void statements.send('a', 1);
    void statements.send('b', 2);
    await turns();

    expect(sent.map(({ requests }) => requests)).toEqual([[1], [2]]);
  });

  it('reject only the requests of a statement that failed', async () => {
    const { sent, statements } = openStatements();
    const first = statements.send('a', 1);
    await turns();
    const second = statements.send('a', 2);
    sent[0]!.fail(new Error('lost'));

    await expect(first).rejects.toThrow('lost');
    await turns();
    sent[1]!.respond(['y']);
    expect(await second).toBe('y');
  });
});
