import type { HoldAnswer, HoldState, RunState } from '@holdpoint/desk';
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

const { answers } = await client.hold('id');
expectTypeOf(answers[0]!.answer).toEqualTypeOf<HoldAnswer>();

for await (const event of client.events()) expectTypeOf(event).toEqualTypeOf<EventView>();

// Lists say nothing of what came of a run.
const [listed] = (await client.runs()).items;
expectTypeOf(listed!).not.toHaveProperty('output');

// An answer is bound to a digest, and is one that the desk knows.
// @ts-expect-error an answer names its digest
await client.answer('id', { answer: { kind: 'approve' } });
// @ts-expect-error there is no such answer
await client.answer('id', { digest: 'd', answer: { kind: 'yes' } });
// @ts-expect-error the desk says who asks
await client.start({ agent: 'teller', prompt: 'Hi', requester: { id: 'somebody else' } });
// @ts-expect-error there is no such state
await client.holds({ states: ['waiting'] });
