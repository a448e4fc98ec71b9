import { jsonLogger, type Logger, openDesk } from '@holdpoint/desk';
import { signIn } from '@holdpoint/desk/sign-in';
import { Agent, DeferredToolRequests } from 'holdpoint';
import { functionModel, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { STORES } from '../support/opened-store.ts';
import { openReceiver } from '../support/receiver.ts';

type Line = Readonly<Record<string, unknown>>;

function recordedLogger(): { logger: Logger; lines: Line[] } {
  const lines: Line[] = [];
  return { lines, logger: jsonLogger({ write: (line) => lines.push(JSON.parse(line)) }) };
}

const output = [String, DeferredToolRequests] as const;

describe.each(STORES)('the log of a desk %s', (_, open) => {
  it('has a line for each failed attempt and for the stuck run, without the prompt', async () => {
    await using opened = await open();
    const { logger, lines } = recordedLogger();
    const model = functionModel(() => {
      throw new Error('The provider does not respond.');
    });
    const agents = { one: { agent: new Agent({ model, output }) } };
    const desk = openDesk({ store: opened.store, agents, logger, maxAttempts: 2 });

    const runId = await desk.start('one', 'The secret prompt');
    for (let attempt = 0; attempt < 3; attempt++) {
      await desk.work({ runId });
      opened.clock.advance(1_000_000);
    }

    const run = { tenant: 'default', runId };
    expect(lines).toMatchObject([
      { level: 'warn', event: 'attempt-failed', ...run },
      { level: 'error', event: 'run-stuck', ...run },
    ]);
    expect(JSON.stringify(lines)).not.toContain('secret prompt');
  });

  it('has a line for a lost lease, and another one for a cancelled run', async () => {
    await using opened = await open();
    const { logger, lines } = recordedLogger();
    const steal: { now?: (runId: string) => Promise<void> } = {};
    let runId = '';
    const model = functionModel(async () => {
      await steal.now?.(runId);
      return says('Done.');
    });
    const agents = { one: { agent: new Agent({ model, output }) } };
    const desk = openDesk({ store: opened.store, agents, logger });

    runId = await desk.start('one', 'Go');
    steal.now = async () => {
      opened.clock.advance(1_000_000);
      await opened.store.write((tx) => tx.tasks.claim(['run'], 1));
    };
    await desk.work({ runId });
    runId = await desk.start('one', 'Go');
    steal.now = async (id) => void (await desk.cancel(id, { by: { id: 'ada' } }));
    await desk.work({ runId });

    expect(lines).toMatchObject([
      { level: 'warn', event: 'lease-lost', tenant: 'default', fence: 1 },
      { level: 'info', event: 'claim-revoked', runId },
    ]);
  });

  it('has a line for a webhook that was given up, with the run', async () => {
    await using opened = await open();
    await using gone = await openReceiver();
    gone.response = { status: 410 };
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const { logger, lines } = recordedLogger();
    const agents = {
      one: { agent: new Agent({ model: functionModel(() => says('Done.')), output }) },
    };
    const webhooks = [{ url: gone.url, secret }];
    const desk = openDesk({ store: opened.store, agents, logger, webhooks });

    const runId = await desk.start('one', 'Go');
    await desk.drain();

    expect(lines[0]).toMatchObject({ level: 'error', event: 'delivery-given-up', runId });
    expect(JSON.stringify(lines)).not.toContain(secret);
  });

  it('has lines for rejected credentials and sign-ins, without the token', async () => {
    await using opened = await open();
    const { logger, lines } = recordedLogger();
    const { store } = opened;
    const url = 'https://desk.test';
    const provider = signIn({ store, url, logger });
    const desk = openDesk({ store, agents: {}, url, logger, signIn: provider });

    const headers = { authorization: 'Bearer hunter2hunter2' };
    const rejected = await desk.fetch(new Request(`${url}/v1/runs`, { headers }));
    const entered = await desk.fetch(
      new Request(`${url}/enter`, {
        method: 'POST',
        headers: { origin: url, 'content-type': 'application/x-www-form-urlencoded' },
        body: 'token=hunter2hunter2',
      }),
    );

    expect(lines).toMatchObject([
      { level: 'info', event: 'request-rejected', requestId: rejected.headers.get('x-request-id') },
      { level: 'warn', event: 'sign-in-rejected', requestId: entered.headers.get('x-request-id') },
    ]);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });
});
