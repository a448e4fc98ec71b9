import { useMutation, useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../client/queries.ts';
import type { DecisionBody, Hold, HoldDetail } from '../client/types.ts';
import { approvalsOf } from '../holds/hold-text.ts';
import { useInbox } from '../shell/inbox-context.ts';

/** Sends decisions on a hold. */
export interface DecisionSender {
  readonly isSending: boolean;
  /** The error of the last decision; `null` if there is none. */
  readonly error: unknown;
  /** Sends a decision. Returns true if the desk recorded it. */
  readonly send: (body: DecisionBody) => Promise<boolean>;
}

/** Sends decisions on a hold: one at a time, each once. */
export function useDecision(holdId: string, onDecided: (hold: Hold) => void): DecisionSender {
  const { client, announce } = useInbox();
  const cache = useQueryClient();
  const mutationKey = ['decide', holdId];
  const mutation = useMutation({
    mutationKey,
    mutationFn: (body: DecisionBody) => client.decide(holdId, body),
    onSuccess(hold) {
      cache.setQueryData<HoldDetail>(queryKeys.hold(holdId), (before) => ({
        decisions: before?.decisions ?? [],
        hold,
      }));
      onDecided(hold);
      announce(announcementOf(hold));
    },
    // Also after an error: another approver may have decided.
    async onSettled() {
      await Promise.all([
        cache.invalidateQueries({ queryKey: queryKeys.hold(holdId) }),
        cache.invalidateQueries({ queryKey: queryKeys.holds }),
      ]);
    },
  });
  return {
    isSending: mutation.isPending,
    error: mutation.error,
    async send(body) {
      // The state of the component is too late for a second click in the same moment.
      if (cache.isMutating({ mutationKey }) > 0) return false;
      return mutation.mutateAsync(body).then(
        () => true,
        () => false,
      );
    },
  };
}

function announcementOf(hold: Hold): string {
  if (hold.state !== 'open') return 'Your decision is recorded.';
  const { required, given } = approvalsOf(hold);
  return `Your decision is recorded: ${given} of ${required} approvals.`;
}
