import { DeskError } from '../errors/desk-error.ts';
import type { RunRow } from '../model/run-row.ts';
import { isOver } from '../model/states.ts';
import type { Tx } from '../store/store.ts';
import { type NewInput, RaceLostError } from './accept-once.ts';
import { addRequester, otherRequesters } from './conversation-requesters.ts';
import { messageHash, queueInput } from './inputs.ts';
import { RunChange } from './run-change.ts';
import { conversationBusy } from './start-run.ts';

/**
 * Queues a message for a parked run. Open holds are superseded, decided calls are executed, and the model
 * receives both outcomes before it receives the message.
 */
export async function supersedeHolds(
  tx: Tx,
  { tenant, id: runId }: RunRow,
  message: NewInput & { readonly onOpenHolds: 'reject' | 'supersede' },
): Promise<RunRow> {
  const change = await RunChange.of(tx, tenant, runId);
  if (change === undefined || isOver(change.run.state)) {
    throw new RaceLostError('The run has ended since it was read.');
  }
  if (change.run.state !== 'parked') throw conversationBusy(change.run);
  if (message.onOpenHolds === 'reject') throw openHolds(change.run);
  for (const hold of await tx.holds.ofRun(tenant, runId, ['open'])) {
    await change.recordHold('hold-superseded', await change.settle(hold, 'superseded'));
  }
  await queueInput(change, message);
  const { requester = null, conversationId } = change.run;
  const sender = message.requester ?? null;
  const requesters = await addRequester(tx, tenant, conversationId, sender);
  change.set(otherRequesters(requesters, requester));
  change.record('message-received', { message: messageHash(message.input) }, message.requester);
  await change.makeReady();
  return change.save();
}

function openHolds({ id, openHolds: count }: RunRow): DeskError {
  return new DeskError(
    'open-holds',
    `Run \`${id}\` of the conversation has ${count === 1 ? '1 open hold' : `${count} open holds`}. Nothing was written. ` +
      "Decide every open hold first, or set `onOpenHolds` to 'supersede'.",
  );
}
