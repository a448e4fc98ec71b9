import type { Decision, HoldState, RunState } from '@holdpoint/desk';
import { deskClient, type EventView, type HoldView } from '@holdpoint/desk/client';
import type { JsonValue } from 'holdpoint';
import { expectTypeOf } from 'vitest';

const client = deskClient({ url: 'http://localhost:8080/desk' });

const run = await client.run('id');
expectTypeOf(run.state).toEqualTypeOf<RunState>();
expectTypeOf(run.output).toEqualTypeOf<JsonValue | undefined>();

const { items, next } = await client.holds({ states: ['open'], text: 'pay', after: undefined });
expectTypeOf(items).toEqualTypeOf<readonly HoldView[]>();
expectTypeOf(items[0]!.state).toEqualTypeOf<HoldState>();
expectTypeOf(next).toEqualTypeOf<string | undefined>();

const { decisions } = await client.hold('id');
expectTypeOf(decisions[0]!.decision).toEqualTypeOf<Decision>();

for await (const event of client.events()) expectTypeOf(event).toEqualTypeOf<EventView>();

// Lists do not contain the output of a run.
const [listed] = (await client.runs()).items;
expectTypeOf(listed!).not.toHaveProperty('output');

// A decision names a digest and has a known kind.
// @ts-expect-error the digest is missing
await client.decide('id', { decision: { kind: 'approve' } });
// @ts-expect-error the kind is unknown
await client.decide('id', { digest: 'd', decision: { kind: 'yes' } });
// @ts-expect-error the desk sets the requester
await client.start({ agent: 'teller', prompt: 'Hi', requester: { id: 'grace' } });
// @ts-expect-error the state is unknown
await client.holds({ states: ['waiting'] });
