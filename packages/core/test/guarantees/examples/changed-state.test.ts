import {
  DeferredToolResults,
  type JsonObject,
  type Message,
  InvalidResultsError,
  UserError,
} from 'holdpoint';
import { callDigest } from 'holdpoint/ledger';
import { calls, responds } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { expectParked } from '../../support/deferral.ts';
import { recordOf } from '../../support/histories.ts';
import { rejectionOf } from '../../support/latch.ts';
import { present } from '../../support/present.ts';
import {
  files,
  type Guard,
  probeAgent,
  type StoredMessage,
  tampered,
  unguarded,
  withDigests,
  withLedger,
} from './probe.ts';
import { subAgent } from '../../support/sub-agents.ts';

async function park({ options }: Guard) {
  const { done, tools } = files({ preview: ({ path }) => `Deletes ${path} for good.` });
  const agent = probeAgent([calls('delete_file', { path: 'a' }, { id: 'a' })], {
    tools,
    ...options(),
  });
  const parked = await expectParked(agent.run('Go.'));
  const approved = parked.output.buildResults({ approveAll: true });
  return { done, agent, parked, approved };
}

/** An approval without a digest. */
const bare = new DeferredToolResults({ approvals: { a: true } });

const detailsIn = ({ metadata }: StoredMessage) =>
  present(present(metadata.holdpoint.open['a']).details);

const toRoot = ({ parts }: StoredMessage) => {
  present(parts[0]).args = { path: '/' };
};

/** Makes the same change in the stored approval request, too. */
const shownToo = (last: StoredMessage) => {
  toRoot(last);
  detailsIn(last).preview = 'Deletes / for good.';
};

/** Changes that a writer of the database can make to a stored history. */
const changes: readonly [what: string, change: (last: StoredMessage) => void][] = [
  ['the arguments', toRoot],
  ['the tool', ({ parts }) => void (present(parts[0]).toolName = 'read_file')],
  ['what was shown', (last) => void (detailsIn(last).preview = 'Reads it.')],
  ['the name of the step', ({ metadata }) => void (metadata.holdpoint.step = 'another')],
  [
    'the arguments and the digest',
    (last) => {
      toRoot(last);
      delete detailsIn(last).digest;
    },
  ],
];

describe('arguments changed in the stored state', () => {
  it('execute without digests and without a ledger', async () => {
    const { done, agent, parked, approved } = await park(unguarded);

    await agent.resume(tampered(parked.messages, shownToo), approved);

    expect(done).toEqual(['deleted /']);
  });

  it('are requested again if the tool has a preview that was not changed as well', async () => {
    const { done, agent, parked, approved } = await park(unguarded);

    const again = await expectParked(agent.resume(tampered(parked.messages, toRoot), approved));

    expect(done).toEqual([]);
    expect(again.output.get('a').details).toMatchObject({
      drifted: true,
      preview: 'Deletes / for good.',
    });
  });

  it.each(changes)('are detected by a decision with the digest: %s', async (_, change) => {
    const { done, agent, parked, approved } = await park(withDigests);

    const error = await rejectionOf(agent.resume(tampered(parked.messages, change), approved));

    expect(error).toBeInstanceOf(InvalidResultsError);
    expect(error).toMatchObject({ toolCallIds: ['a'] });
    expect(done).toEqual([]);
    // The decision covers the unchanged history, and remains valid for it.
    await agent.resume(parked, approved);
    expect(done).toEqual(['deleted a']);
  });

  it('are not detected by a decision without a digest if the digest was changed as well', async () => {
    const { done, agent, parked } = await park(withDigests);

    await agent.resume(await fitted(parked.messages, shownToo), bare);

    expect(done).toEqual(['deleted /']);
  });

  it.each(changes)('are detected with a ledger, with any decision: %s', async (_, change) => {
    const { done, agent, parked } = await park(withLedger);

    const error = await rejectionOf(agent.resume(tampered(parked.messages, change), bare));

    expect(error).toBeInstanceOf(InvalidResultsError);
    expect(done).toEqual([]);
  });

  it.each<[string, string, (last: StoredMessage) => void]>([
    ['the arguments', 'invalid-results', shownToo],
    [
      'the arguments and the step',
      'invalid-results',
      (last) => {
        shownToo(last);
        last.metadata.holdpoint.step = 'another';
      },
    ],
    [
      'the arguments and the round',
      'invalid-results',
      (last) => {
        shownToo(last);
        last.metadata.holdpoint.round = 7;
      },
    ],
  ])(
    'are detected with a ledger, also if the digest was changed to match: %s',
    async (_, code, change) => {
      const { done, agent, parked } = await park(withLedger);

      const error = await rejectionOf(agent.resume(await fitted(parked.messages, change), bare));

      expect(error).toMatchObject({ code });
      expect(done).toEqual([]);
    },
  );

  it('are detected with a ledger if the whole record was removed', async () => {
    const { done, agent, parked } = await park(withLedger);
    const without = tampered(parked.messages, (last) => {
      Reflect.deleteProperty(last, 'metadata');
    });

    expect(await rejectionOf(agent.resume(without, bare))).toBeInstanceOf(UserError);
    expect(done).toEqual([]);
  });
});

describe('arguments changed in the stored state of a sub-agent', () => {
  /** Parks a run on its own call and on a call of a sub-agent. */
  const parkBoth = async ({ options }: Guard) => {
    const { done, tools } = files();
    const sub = subAgent([calls('delete_file', { path: 'inner' }, { id: 'i' })], { tools });
    const both = responds(
      calls('delete_file', { path: 'outer' }, { id: 'o' }),
      calls('sub', { prompt: 'Go.' }, { id: 's' }),
    );
    const agent = probeAgent([both], { tools: [...tools, sub.asTool()], ...options() });
    return { done, agent, parked: await expectParked(agent.run('Go.')) };
  };
  const innerToRoot = ({ metadata }: StoredMessage) => {
    const [, response] = present(present(metadata.holdpoint.open['s']).messages);
    present(present(response).parts[0]).args = { path: '/' };
  };

  it('execute without digests and without a ledger', async () => {
    const { done, agent, parked } = await parkBoth(unguarded);

    const changed = tampered(parked.messages, innerToRoot);
    await agent.resume(changed, parked.output.buildResults({ approveAll: true }));

    expect(done.toSorted()).toEqual(['deleted /', 'deleted outer']);
  });

  it.each([withDigests, withLedger])(
    'are detected before anything executes: $guard',
    async (guard) => {
      const { done, agent, parked } = await parkBoth(guard);

      const changed = tampered(parked.messages, innerToRoot);
      const approved = parked.output.buildResults({ approveAll: true });
      const error = await rejectionOf(agent.resume(changed, approved));

      expect(error).toBeInstanceOf(InvalidResultsError);
      expect(done).toEqual([]);
    },
  );
});

/** Returns a changed history with a matching digest. Its computation is public. */
async function fitted(messages: readonly Message[], change: (last: StoredMessage) => void) {
  const { step } = present(recordOf(messages.at(-1)));
  let digest: Promise<string> | undefined;
  tampered(messages, (last) => {
    change(last);
    const [call] = last.parts;
    digest = callDigest({
      step,
      index: 0,
      path: [],
      toolName: present(call).toolName,
      args: present(call).args as JsonObject, // as in the document
      validatedArgs: present(call).args as JsonObject, // the schema does not change it
      schemaHash: detailsIn(last).schemaHash,
      preview: detailsIn(last).preview as string, // the tool returns a text
    });
  });
  const own = await digest;
  return tampered(messages, (last) => {
    change(last);
    detailsIn(last).digest = present(own);
  });
}
