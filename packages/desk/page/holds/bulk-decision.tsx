import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { queryKeys } from '../client/queries.ts';
import type { BulkDecision, BulkResult, Hold } from '../client/types.ts';
import { Dialog } from '../shell/dialog.tsx';
import { FailureText } from '../shell/failure.tsx';
import { useInbox } from '../shell/inbox-context.ts';
import { formatCount } from '../text/format.ts';
import { UntrustedLine } from '../text/untrusted.tsx';
import { linesOf, MAX_LINE, summaryOf, warningsOf } from './hold-text.ts';

/** The most decisions in one request. */
const MAX_DECISIONS = 50;

type Kind = BulkDecision['decision']['kind'];

/** Decides the selected holds together. */
export function BulkBar({
  holds,
  onSelectAll,
  onDone,
}: {
  /** The selected holds. */
  readonly holds: readonly Hold[];
  readonly onSelectAll: () => void;
  /** The decisions were sent. */
  readonly onDone: () => void;
}): ReactNode {
  // The holds that the confirmation lists. Updates do not change them.
  const [confirming, setConfirming] = useState<{
    readonly kind: Kind;
    readonly holds: readonly Hold[];
  }>();
  const button = { type: 'button', disabled: holds.length === 0 } as const;
  return (
    <div className="bulk-bar" role="group" aria-label="Selected holds">
      <span role="status">{formatCount(holds.length, 'hold')} selected</span>
      <button type="button" className="text-button" onClick={onSelectAll}>
        Select all
      </button>
      <div className="form-buttons">
        <button {...button} className="deny" onClick={() => setConfirming({ kind: 'deny', holds })}>
          Deny …
        </button>
        <button
          {...button}
          className="primary"
          onClick={() => setConfirming({ kind: 'approve', holds })}
        >
          Approve …
        </button>
      </div>
      {confirming !== undefined && (
        <BulkDialog
          {...confirming}
          onCancel={() => setConfirming(undefined)}
          onDone={() => {
            setConfirming(undefined);
            onDone();
          }}
        />
      )}
    </div>
  );
}

/** Lists the holds, asks for one confirmation, and shows the decisions that the desk rejected. */
function BulkDialog({
  kind,
  holds,
  onCancel,
  onDone,
}: {
  readonly kind: Kind;
  readonly holds: readonly Hold[];
  readonly onCancel: () => void;
  readonly onDone: () => void;
}): ReactNode {
  const { client, announce } = useInbox();
  const cache = useQueryClient();
  const [reason, setReason] = useState('');
  const included = holds.filter((hold) => exclusionOf(hold, kind) === undefined);
  const text = reason.trim();
  const { mutate, data, error, isPending } = useMutation({
    async mutationFn() {
      const decisions = included.map(({ id, digest }) => ({
        holdId: id,
        digest,
        decision: { kind, ...(text !== '' && { reason: text }) },
      }));
      const results: BulkResult[] = [];
      for (let start = 0; start < decisions.length; start += MAX_DECISIONS) {
        const part = await client.decideMany(decisions.slice(start, start + MAX_DECISIONS));
        results.push(...part.items);
      }
      return results;
    },
    onSuccess(results) {
      const rejected = results.filter((result) => !result.ok).length;
      announce(`${formatCount(results.length - rejected, 'decision')} recorded.`);
      if (rejected === 0) onDone();
    },
    onSettled: () => cache.invalidateQueries({ queryKey: queryKeys.holds }),
  });
  const verb = kind === 'approve' ? 'Approve' : 'Deny';
  const title = `${verb} ${formatCount(included.length, 'hold')}?`;
  const isFinished = data !== undefined || error !== null;
  return (
    <Dialog label={title} onClose={isFinished ? onDone : onCancel}>
      <h2>{title}</h2>
      {/* The list scrolls, also by keyboard. */}
      <ol className="bulk-list" tabIndex={0}>
        {holds.map((hold) => {
          const result = data?.find(({ holdId }) => holdId === hold.id);
          const exclusion = exclusionOf(hold, kind);
          return (
            <li key={hold.id}>
              <b>
                <UntrustedLine text={hold.title} max={60} />
              </b>{' '}
              {(kind === 'approve' ? linesOf(hold).lines : [summaryOf(hold)]).map((line, index) => (
                // oxlint-disable-next-line react/no-array-index-key -- lines have no other identity
                <div key={index}>
                  <UntrustedLine text={line} max={MAX_LINE} />
                </div>
              ))}
              {exclusion !== undefined && (
                <em className="field-problem">Not included: {exclusion}</em>
              )}
              {result !== undefined && (
                <em className={result.ok ? 'recorded' : 'field-problem'}>
                  {result.ok ? (
                    'Recorded.'
                  ) : (
                    <>
                      Not recorded: <UntrustedLine text={result.problem.detail} max={400} />
                    </>
                  )}
                </em>
              )}
            </li>
          );
        })}
      </ol>
      {kind === 'deny' && !isFinished && (
        <label className="stacked">
          Reason (optional). The agents and the other approvers see it.
          <textarea
            rows={2}
            maxLength={10_000}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
        </label>
      )}
      {error !== null && (
        <p className="notice problem" role="alert">
          <FailureText error={error} /> Check the state of these holds before you decide again.
        </p>
      )}
      <div className="form-buttons">
        {isFinished ? (
          <button type="button" onClick={onDone}>
            Close
          </button>
        ) : (
          <>
            <button type="button" onClick={onCancel}>
              Back
            </button>
            <button
              type="button"
              className={kind === 'approve' ? 'primary' : 'deny'}
              disabled={isPending || included.length === 0}
              onClick={() => mutate()}
            >
              {isPending ? 'Sending …' : `${verb} ${formatCount(included.length, 'hold')}`}
            </button>
          </>
        )}
      </div>
    </Dialog>
  );
}

/** Returns the reason why a hold needs a separate decision. */
function exclusionOf(whole: Hold, decision: Kind): string | undefined {
  const { kind, viewer, ...hold } = whole;
  if (!viewer.mayDecide) return viewer.reason ?? 'you may not decide it.';
  if (viewer.asSelf === false)
    return 'you decide it on behalf of another person. Open it to do so.';
  if (hold.inDoubt !== undefined) return 'it is in doubt. Open it to record what happened.';
  if (kind === 'question') return 'it has a question. Open it to respond or decline.';
  if (kind === 'external') return 'it needs a result.';
  if (decision === 'deny') return undefined;
  if (viewer.hasVoted) return 'you approved it already.';
  if (viewer.mayApprove === false) return viewer.reason ?? 'your approval would not count.';
  if (hold.grant !== undefined || hold.proposed !== undefined) {
    return 'another approver made a proposal. Open it to review the proposal.';
  }
  if (!linesOf(whole).isWhole)
    return 'it is too long to be shown here. Open it to review the call.';
  const [warning] = warningsOf(hold);
  return warning && `${warning.label.toLowerCase()}. Open it to review the warning.`;
}
