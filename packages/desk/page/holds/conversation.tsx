import type { ReactNode } from 'react';
import type { Hold } from '../client/types.ts';
import { useLive } from '../live/use-live.ts';
import { Failure } from '../shell/failure.tsx';
import { useInbox } from '../shell/inbox-context.ts';
import { Transcript } from '../transcript/transcript.tsx';

/** The conversation that a call comes from. */
export function Conversation({
  hold: { conversationId, runId },
}: {
  readonly hold: Pick<Hold, 'conversationId' | 'runId'>;
}): ReactNode {
  const { client } = useInbox();
  const { value, error, reload } = useLive(
    `conversation ${conversationId}`,
    () => client.history(conversationId),
    (event) => event.runId === runId,
  );
  return (
    <section className="conversation" aria-labelledby="conversation-heading">
      <h2 id="conversation-heading">The conversation so far</h2>
      {error !== undefined && value === undefined && <Failure error={error} onRetry={reload} />}
      {value !== undefined && <Transcript messages={value.messages} />}
    </section>
  );
}
