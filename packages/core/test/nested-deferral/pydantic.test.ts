import { DeferredToolResults, requestsFromMessages, ToolDenied } from 'holdpoint';
import {
  pydanticMessageCodec,
  pydanticRequestsCodec,
  pydanticResultsCodec,
} from 'holdpoint/pydantic';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectParked } from '../support/deferral.ts';
import { idsOf, recordOf } from '../support/histories.ts';
import { present } from '../support/present.ts';
import { agentOf, decisionsFor, arbitraryPlan, playOut } from './support/agent-tree.ts';
import { leadOfTeam } from './support/team.ts';

describe('a run with parked sub-agents, in the JSON of Pydantic AI', { timeout: 60_000 }, () => {
  it('loads unchanged, and resumes', async () => {
    const effects: string[] = [];
    const lead = leadOfTeam((effect) => effects.push(effect));
    const parked = await expectParked(lead.run('Tidy up.'));

    const messages = pydanticMessageCodec.parse(pydanticMessageCodec.stringify(parked.messages));
    const requests = pydanticRequestsCodec.parse(pydanticRequestsCodec.stringify(parked.output));
    const decisions = requests.buildResults({
      approvals: { 'right/w/r': new ToolDenied('Not that one.') },
      approveAll: true,
    });
    const again = await expectParked(
      lead.resume(
        { messages },
        pydanticResultsCodec.parse(pydanticResultsCodec.stringify(decisions)),
      ),
    );

    expect(requestsFromMessages(messages)).toEqual(requestsFromMessages(parked.messages));
    expect(idsOf(again.output.approvals)).toEqual(['left/w/m']);
    const done = await lead.resume(
      { messages: pydanticMessageCodec.fromJSON(pydanticMessageCodec.toJSON(again.messages)) },
      new DeferredToolResults({ approvals: { 'left/w/m': true } }),
    );
    expect(done.output).toBe(
      'left.txt was removed and moved; published; right.txt stays: Not that one.',
    );
    expect(effects.toSorted()).toEqual(['moved left.txt', 'published', 'removed left.txt']);
  });

  it('keeps the records of sub-agents unchanged, in the metadata of a message', async () => {
    const parked = await expectParked(leadOfTeam(() => {}).run('Tidy up.'));

    const document = pydanticMessageCodec.toJSON(parked.messages);

    const metadata = present(document.at(-1))['metadata'];
    expect(metadata).toEqual(JSON.parse(JSON.stringify(parked.messages.at(-1)?.metadata)));
    expect(metadata).toHaveProperty('holdpoint.open.left.kind', 'agent');
    expect(metadata).toHaveProperty('holdpoint.open.left.messages.0.kind', 'request');
  });

  it('has pending calls that cannot be resolved there: those to the sub-agents', async () => {
    const parked = await expectParked(leadOfTeam(() => {}).run('Tidy up.'));

    const document = pydanticMessageCodec.toJSON(parked.messages);
    const { approvals } = pydanticRequestsCodec.toJSON(parked.output);

    const response = document.at(-1) as { parts: { part_kind: string; tool_call_id: string }[] };
    const openThere = response.parts
      .filter(({ part_kind }) => part_kind === 'tool-call')
      .map(({ tool_call_id }) => tool_call_id);
    expect(openThere).toEqual(['left', 'own', 'right']);
    expect(approvals.map((call) => call['tool_call_id'])).toEqual(['left/w/r', 'right/w/r', 'own']);
  });

  it('resumes here after its calls to sub-agents received results there', async () => {
    const effects: string[] = [];
    const lead = leadOfTeam((effect) => effects.push(effect));
    const parked = await expectParked(lead.run('Tidy up.'));
    const document = JSON.parse(pydanticMessageCodec.stringify(parked.messages));
    const returns = ['left', 'own', 'right'].map((id) => ({
      part_kind: 'tool-return',
      tool_name: id === 'own' ? 'publish' : 'manager',
      tool_call_id: id,
      content: 'done by hand',
    }));
    document.push({ kind: 'request', parts: returns });
    document.push({ kind: 'response', parts: [{ part_kind: 'text', content: 'All done.' }] });

    const messages = pydanticMessageCodec.fromJSON(document);
    expect(requestsFromMessages(messages)).toBeUndefined();
    const next = await lead.run('And now?', { messageHistory: messages });

    expect(next.status).toBe('finished');
    expect(effects).toEqual([]);
  });

  it('loses nothing in a round trip, for random trees of agents', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryPlan, async (plan) => {
        const effects: string[] = [];
        const effectsOfTravelled: string[] = [];

        const plain = await playOut(agentOf(plan, effects), { approves: () => true });
        const travelled = await playOut(agentOf(plan, effectsOfTravelled), {
          approves: () => true,
          between({ messages, output }) {
            const back = pydanticMessageCodec.parse(pydanticMessageCodec.stringify(messages));
            expect(back.map(recordOf)).toEqual(messages.map(recordOf));
            expect(requestsFromMessages(back)).toEqual(requestsFromMessages(messages));
            // The first round trip writes times and counts in full. Later round trips change
            // nothing.
            expect(pydanticMessageCodec.parse(pydanticMessageCodec.stringify(back))).toEqual(back);
            const decisions = decisionsFor(output, () => true);
            expect(pydanticResultsCodec.parse(pydanticResultsCodec.stringify(decisions))).toEqual(
              decisions,
            );
            return back;
          },
        });

        expect(effectsOfTravelled.toSorted()).toEqual(effects.toSorted());
        expect(present(travelled.at(-1)).output).toBe(present(plain.at(-1)).output);
      }),
      { numRuns: 40 },
    );
  });
});
