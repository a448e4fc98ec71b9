import type { ReactNode } from 'react';
import type { Hold } from '../client/types.ts';
import { Foreign } from '../text/foreign.tsx';
import { Moment } from '../time/times.tsx';
import { CopyButton } from '../values/copy-button.tsx';

/** Tells the approver of a call in doubt that it may have had its effect, and how to find out. */
export function InDoubt({
  inDoubt: { since, reason, idempotencyKey },
}: {
  readonly inDoubt: NonNullable<Hold['inDoubt']>;
}): ReactNode {
  return (
    <section className="notice warning in-doubt" aria-labelledby="in-doubt-heading">
      <h2 id="in-doubt-heading">This may already have happened</h2>
      <p>
        The call was started, but its outcome is unknown. Check the system that the tool acts on
        before you decide. If the call took effect, record its result. Execute it again only if it
        did not.
      </p>
      <dl className="members">
        <div className="member">
          <dt>In doubt since</dt>
          <dd>
            <Moment at={since} />
          </dd>
        </div>
        {idempotencyKey !== undefined && (
          <div className="member">
            <dt>Idempotency key</dt>
            <dd className="key-and-copy">
              <IdempotencyKey text={idempotencyKey} />
            </dd>
          </div>
        )}
      </dl>
      <details>
        <summary>Technical details</summary>
        <p className="said">
          <Foreign text={reason} />
        </p>
      </details>
    </section>
  );
}

/** An idempotency key with a button that copies it. */
export function IdempotencyKey({ text }: { readonly text: string }): ReactNode {
  return (
    <>
      <code className="digest">
        <Foreign text={text} />
      </code>{' '}
      <CopyButton text={text} label="idempotency key" />
    </>
  );
}
