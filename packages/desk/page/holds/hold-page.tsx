import { type ReactNode, useState } from 'react';
import { AnswerPanel } from '../answer/answer-panel.tsx';
import { RefusalNotice } from '../answer/refusal-notice.tsx';
import { useAnswer } from '../answer/use-answer.ts';
import type { AnsweredHold, Hold } from '../client/types.ts';
import type { Schema } from '../form/schema.ts';
import { Failure } from '../shell/failure.tsx';
import { Link } from '../shell/link.tsx';
import { PersonName } from '../shell/people.tsx';
import { PageHeading } from '../shell/page-heading.tsx';
import { Foreign, ForeignLine } from '../text/foreign.tsx';
import { Moment, TimeLeft, WaitingFor } from '../time/times.tsx';
import { ValueTabs } from '../values/value-tabs.tsx';
import { ValueView } from '../values/value-view.tsx';
import { Conversation } from './conversation.tsx';
import { IdempotencyKey } from './in-doubt.tsx';
import { Outcome } from './outcome.tsx';
import { Proposal } from './proposal.tsx';
import { Replaced } from './replaced.tsx';
import { useFocusAfterAnswer } from './use-focus-after-answer.ts';
import { type ShownHold, useShownHold } from './use-shown-hold.ts';
import { Votes } from './votes.tsx';
import { Warnings } from './warnings.tsx';

/** One call that waits: what would happen, who asks, who has agreed, and the answers that can be given. */
export function HoldPage({ id }: { readonly id: string }): ReactNode {
  const following = useShownHold(id);
  const { shown, error, reload } = following;
  if (error !== undefined) return <Failure error={error} onRetry={reload} />;
  if (shown === undefined) return <p className="nothing">Looking …</p>;
  return <HoldSheet key={id} shown={shown} following={following} />;
}

function HoldSheet({
  shown: { hold, answers },
  following,
}: {
  readonly shown: AnsweredHold;
  readonly following: ShownHold;
}): ReactNode {
  const { before, acknowledge, take, reload } = following;
  const { votes, outcome, onAnswered } = useFocusAfterAnswer(hold.state);
  const sender = useAnswer(
    hold.id,
    (answered) => {
      onAnswered();
      take(answered);
    },
    reload,
  );
  const isOpen = hold.state === 'open';
  const [isEditing, setIsEditing] = useState(false);
  return (
    <article className="sheet">
      <Heading hold={hold} />
      {!isOpen && sender.refusal !== undefined && <RefusalNotice refusal={sender.refusal} />}
      {!isOpen && <Outcome ref={outcome} hold={hold} answers={answers} />}
      {before !== undefined && <Replaced before={before} now={hold} onSeen={acknowledge} />}
      <Warnings hold={hold} />
      <WhatHappens hold={hold} isEditing={isEditing} />
      <Proposal hold={hold} />
      <Votes ref={votes} hold={hold} answers={answers} />
      {isOpen && (
        <AnswerPanel
          hold={hold}
          isChanged={before !== undefined}
          sender={sender}
          onEditing={setIsEditing}
        />
      )}
      <Conversation hold={hold} />
      <Facts hold={hold} />
    </article>
  );
}

function Heading({ hold }: { readonly hold: Hold }): ReactNode {
  const { requester, createdAt, expiresAt } = hold;
  const isOpen = hold.state === 'open';
  return (
    <header className="sheet-head">
      <PageHeading title={hold.toolName}>
        <span className="eyebrow">{eyebrowOf(hold)}</span>
        <span className="tool-name">
          <ForeignLine text={hold.toolName} most={200} />
        </span>
      </PageHeading>
      <p className="sheet-facts">
        <span>
          {requester === undefined ? (
            'Requester unknown'
          ) : (
            <>
              Requested by <PersonName person={requester} />
            </>
          )}
        </span>
        {isOpen ? (
          <span>
            waits <WaitingFor since={createdAt} />
          </span>
        ) : (
          <Moment at={createdAt} />
        )}
        {isOpen && expiresAt !== undefined && <TimeLeft until={expiresAt} />}
      </p>
    </header>
  );
}

function eyebrowOf({ state, kind, inDoubt }: Hold): string {
  if (state !== 'open') return 'Settled';
  if (inDoubt !== undefined) return 'Outcome unknown';
  return kind === 'external' ? 'A result is needed' : 'Approval is needed';
}

/** What the tool says will happen, and what it gets. Of arguments that somebody has changed, it has said nothing. */
function WhatHappens({
  hold,
  isEditing,
}: {
  readonly hold: Hold;
  /** Whether the approver edits the call: the preview is that of the call without the edit. */
  readonly isEditing: boolean;
}): ReactNode {
  const { preview, edit } = hold;
  return (
    <>
      {preview !== undefined && edit === undefined && (
        <section className="preview" aria-labelledby="preview-heading">
          <h2 id="preview-heading">{previewHeading(hold, isEditing)}</h2>
          <div className="preview-text">
            <ValueView value={preview} isProse />
          </div>
        </section>
      )}
      <Arguments hold={hold} />
    </>
  );
}

/** Only a pending call that was never started will happen. */
function previewHeading({ state, inDoubt }: Hold, isEditing: boolean): string {
  if (state !== 'open') return 'What was requested';
  if (isEditing) return 'Without your changes';
  return inDoubt === undefined ? 'What will happen' : 'What may have happened';
}

function Arguments({ hold }: { readonly hold: Hold }): ReactNode {
  const { preview, edit, checkedArgs } = hold;
  // A schema is JSON.
  const schema = hold.schema as Schema | undefined;
  if (edit === undefined) {
    return (
      <section className="arguments">
        <ValueTabs value={hold.args} schema={schema} label="With these arguments" />
        {checkedArgs !== undefined && (
          <details>
            <summary>As the tool will get them</summary>
            <ValueView value={checkedArgs} schema={schema} />
          </details>
        )}
      </section>
    );
  }
  return (
    <section className="arguments edited">
      <ValueTabs value={edit.args} schema={schema} label="With these changed arguments" />
      <p className="foreign-note">
        Changed by <PersonName person={edit.by} />, <Moment at={edit.at} />.
      </p>
      <details>
        <summary>How it was before the change</summary>
        {preview !== undefined && <ValueView value={preview} isProse />}
        <ValueView value={hold.args} schema={schema} />
      </details>
    </section>
  );
}

function Facts({ hold }: { readonly hold: Hold }): ReactNode {
  const { agent, path, toolName, metadata, runId, digest, inDoubt } = hold;
  return (
    <section className="facts" aria-labelledby="facts-heading">
      <h2 id="facts-heading">About this call</h2>
      <dl className="members">
        <Fact name="Tool">
          <Foreign text={toolName} />
        </Fact>
        <Fact name="Agent">
          <Foreign text={agent} />
          {path.map(({ toolCallId, toolName: through }) => (
            <span key={toolCallId}>
              {' › '}
              <Foreign text={through} />
            </span>
          ))}
        </Fact>
        <Fact name="Run">
          <Link to={{ name: 'run', id: runId }}>Its messages and state</Link>
          {' · '}
          <Link to={{ name: 'audit', id: runId }}>its audit</Link>
        </Fact>
        {metadata !== undefined && (
          <Fact name="From the tool">
            <ValueView value={metadata} depth={1} />
          </Fact>
        )}
        {inDoubt?.idempotencyKey !== undefined && hold.state !== 'open' && (
          <Fact name="Idempotency key">
            <IdempotencyKey text={inDoubt.idempotencyKey} />
          </Fact>
        )}
        <Fact name="Digest">
          <span className="digest">
            <Foreign text={digest} />
          </span>
        </Fact>
      </dl>
    </section>
  );
}

function Fact({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <div className="member">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
