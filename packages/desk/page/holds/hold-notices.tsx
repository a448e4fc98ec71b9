import { type ReactNode, type Ref, useEffect, useRef } from 'react';
import { itemsOf, useHolds } from '../client/queries.ts';
import type { DecisionView, Hold } from '../client/types.ts';
import { ChangeList } from '../form/change-list.tsx';
import { changesBetween } from '../form/changes.ts';
import type { Schema } from '../form/schema.ts';
import { usesKeys } from '../shell/keyboard.ts';
import { Link } from '../shell/link.tsx';
import { PersonName } from '../shell/people.tsx';
import { UntrustedLine, UntrustedText } from '../text/untrusted.tsx';
import { LocalTime, Moment } from '../time/times.tsx';
import { CopyButton } from '../values/copy-button.tsx';
import { JsonBlock, ValueView } from '../values/value-view.tsx';
import { DecisionMessage } from './approvals.tsx';
import { decisionText, grantText, outcomeText, summaryOf, warningsOf } from './hold-text.ts';

/** Shows a change by another approver, and asks for a confirmation that this one has seen it. */
export function ReplacedNotice({
  before,
  now,
  onSeen,
}: {
  readonly before: Hold;
  readonly now: Hold;
  readonly onSeen: () => void;
}): ReactNode {
  const notice = useRef<HTMLElement>(null);
  const changes = changesBetween(before.edit?.args ?? before.args, now.edit?.args ?? now.args);
  useEffect(() => {
    // An approver who is typing keeps the focus: the buttons of the form state that the call changed.
    if (!usesKeys(document.activeElement)) notice.current?.focus();
  }, []);
  return (
    <section
      ref={notice}
      tabIndex={-1}
      className="notice warning"
      aria-labelledby="replaced-heading"
    >
      <h2 id="replaced-heading">The call changed while you had it open</h2>
      <p>
        <ReplacedText before={before} now={now} /> Earlier approvals do not count any more.
      </p>
      {changes.length > 0 && (
        <ChangeList changes={changes} schema={now.schema as Schema | undefined} />
      )}
      <button type="button" onClick={onSeen}>
        I have seen this
      </button>
    </section>
  );
}

function ReplacedText({ before, now }: { readonly before: Hold; readonly now: Hold }): ReactNode {
  if (now.edit !== undefined && now.edit.at !== before.edit?.at) {
    return (
      <>
        <PersonName person={now.edit.by} /> edited the arguments.
      </>
    );
  }
  const { proposed } = now;
  if (proposed !== undefined && proposed.at !== before.proposed?.at) {
    return (
      <>
        <PersonName person={proposed.by} /> {proposalText(proposed)}.
      </>
    );
  }
  return now.grant === undefined
    ? 'The approval was requested again.'
    : 'An approver proposed to approve similar calls in advance.';
}

function proposalText({ decision }: NonNullable<Hold['proposed']>): string {
  return decisionText({ kind: String(decision['kind']) });
}

/** Facts that an approver must know before the decision; a doubt comes first. */
export function Warnings({ hold }: { readonly hold: Hold }): ReactNode {
  const { inDoubt, ...others } = hold;
  const isInDoubt = inDoubt !== undefined && hold.state === 'open';
  const warnings = warningsOf(others);
  if (warnings.length === 0 && !isInDoubt) return null;
  return (
    <section className="warnings" aria-label="Warnings">
      {isInDoubt && <InDoubtNotice inDoubt={inDoubt} />}
      {warnings.map(({ label, text }) => (
        <div key={label} className="notice warning">
          <p>
            <strong>{label}.</strong> {text}
          </p>
        </div>
      ))}
    </section>
  );
}

function InDoubtNotice({
  inDoubt: { since, reason, idempotencyKey },
}: {
  readonly inDoubt: NonNullable<Hold['inDoubt']>;
}): ReactNode {
  return (
    <section className="notice warning in-doubt" aria-labelledby="in-doubt-heading">
      <h2 id="in-doubt-heading">This may already have happened</h2>
      <p>
        The call was started, but its outcome is unknown. Check the system that the tool acts on. If
        the call took effect, record what happened. Execute it again only if it did not.
      </p>
      <dl className="members">
        <div className="member">
          <dt>Attempted</dt>
          <dd>
            <LocalTime at={since} />
          </dd>
        </div>
        {idempotencyKey !== undefined && (
          <div className="member">
            <dt>Idempotency key</dt>
            <dd>
              <IdempotencyKey text={idempotencyKey} />
            </dd>
          </div>
        )}
      </dl>
      <details>
        <summary>Technical details</summary>
        <p className="quote">
          <UntrustedText text={reason} />
        </p>
      </details>
    </section>
  );
}

/** An idempotency key with a button that copies it. */
export function IdempotencyKey({ text }: { readonly text: string }): ReactNode {
  return (
    <span className="key-and-copy">
      <code className="digest">
        <UntrustedText text={text} />
      </code>
      <CopyButton text={text} label="idempotency key" />
    </span>
  );
}

/** A result or a grant that an approver proposed, and that others must approve. */
export function Proposal({ hold }: { readonly hold: Hold }): ReactNode {
  const { proposed, grant } = hold;
  if (hold.state !== 'open') return null;
  return (
    <>
      {proposed !== undefined && (
        <section className="notice warning" aria-labelledby="proposal-heading">
          <h2 id="proposal-heading">
            {hold.kind === 'question'
              ? 'Proposed response'
              : 'Proposed instead of executing the call'}
          </h2>
          <p>
            <PersonName person={proposed.by} /> {proposalText(proposed)},{' '}
            <Moment at={proposed.at} />.{' '}
            {hold.kind === 'question'
              ? 'If you approve, the tool is called again with this:'
              : 'If you approve, the call is not executed, and the agent receives this:'}
          </p>
          <ValueView
            value={proposed.decision['value'] ?? proposed.decision['message'] ?? null}
            isProse={proposed.decision['value'] === undefined}
          />
        </section>
      )}
      {grant !== undefined && (
        <section className="notice warning" aria-labelledby="grant-heading">
          <h2 id="grant-heading">This approval creates a grant</h2>
          <p>If you approve this call, you also approve {grantText(grant)}.</p>
          {typeof grant.match === 'object' && <JsonBlock value={grant.match.args} />}
        </section>
      )}
    </>
  );
}

/** How a hold was settled, and the next hold for the approver. */
export function Outcome({
  hold,
  decisions,
  ref,
}: {
  readonly hold: Hold;
  readonly decisions: readonly DecisionView[];
  readonly ref: Ref<HTMLDivElement>;
}): ReactNode {
  const last = hold.outcome === 'decided' ? decisions.at(-1) : undefined;
  return (
    <div ref={ref} className={`notice outcome ${toneOf(hold, last)}`} tabIndex={-1}>
      {last === undefined ? (
        <p>{outcomeText(hold)}</p>
      ) : (
        <>
          <p>
            <PersonName person={last.by} />{' '}
            {decisionText({ kind: last.decision.kind, isEdit: hasArgs(last) })},{' '}
            <Moment at={last.at} />.
          </p>
          <DecisionMessage decision={last.decision} />
          {last.decision.kind === 'result' && <JsonBlock value={last.decision.value} />}
        </>
      )}
      <NextHold after={hold.id} />
    </div>
  );
}

function hasArgs({ decision }: DecisionView): boolean {
  return decision.kind === 'approve' && decision.args !== undefined;
}

function toneOf({ outcome }: Hold, last: DecisionView | undefined): string {
  if (outcome !== 'decided') return 'undecided';
  return last?.decision.kind === 'deny' || last?.decision.kind === 'fail' ? 'denied' : '';
}

function NextHold({ after }: { readonly after: string }): ReactNode {
  const { data } = useHolds({ mine: true });
  if (data === undefined) return null;
  const next = itemsOf(data).find(({ id }) => id !== after);
  if (next === undefined) return <p className="next">No other hold is waiting for you.</p>;
  return (
    <p className="next">
      <Link to={{ name: 'hold', id: next.id }}>
        <span>
          Next: <UntrustedLine text={summaryOf(next)} max={80} />
        </span>
      </Link>
    </p>
  );
}
