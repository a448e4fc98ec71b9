import { DeskError } from '../errors/desk-error.ts';
import { hashOf } from '../model/hash.ts';
import type { Person } from '../model/person.ts';
import type { RunRow } from '../model/run-row.ts';
import { isOver } from '../model/states.ts';
import type { Store } from '../store/store.ts';
import { addRequester, otherRequesters } from './conversation-requesters.ts';
import { notFound } from './not-found.ts';
import { RunChange } from './run-change.ts';
import { conversationBusy } from './start-run.ts';

/** A message to a run that waits. */
export interface NewMessage {
  /** As a document of messages. */
  readonly input: string;
  readonly by?: Person | undefined;
  /** What becomes of holds that are open: the message is refused, or they are settled as superseded. */
  readonly onOpenHolds: 'refuse' | 'supersede';
}

/**
 * Takes a message for a parked run. What waits there is superseded, what was decided is carried out, and
 * the model hears of both before it hears of the message. Gives `undefined` if the run is over.
 */
export function supersedeHolds(
  store: Store,
  tenant: string,
  runId: string,
  message: NewMessage,
): Promise<RunRow | undefined> {
  return store.write(async (tx) => {
    const change = await RunChange.of(tx, tenant, runId);
    if (change === undefined) throw notFound('run', runId);
    if (isOver(change.run.state)) return undefined;
    if (change.run.state !== 'parked') throw conversationBusy(change.run);
    if (message.onOpenHolds === 'refuse') throw openHolds(change.run);
    for (const hold of await tx.holds.ofRun(tenant, runId, ['open'])) {
      await change.noteHold('hold-superseded', await change.settle(hold, 'superseded'));
    }
    const { requester = null, conversationId } = change.run;
    const requesters = await addRequester(tx, tenant, conversationId, message.by ?? null);
    change.set({ input: message.input, ...otherRequesters(requesters, requester) });
    const hash = hashOf('holdpoint/message/1', message.input);
    change.note('message-received', { message: hash }, message.by);
    await change.makeReady();
    return change.save();
  });
}

function openHolds({ id, openHolds: count }: RunRow): DeskError {
  return new DeskError(
    'open-holds',
    `Run '${id}' of the conversation waits for ${count} answers, and a message would pass over them. Have them ` +
      "answered, or set onOpenHolds to 'supersede' to give them up.",
  );
}
