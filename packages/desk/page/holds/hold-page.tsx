import {
  type ReactNode,
  type Ref,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { isOutsideAgent } from '../../src/model/request-facts.ts';
import { useHold, useMessages } from '../client/queries.ts';
import type { Hold, HoldDetail } from '../client/types.ts';
import { DecisionPanel } from '../decision/decision-panel.tsx';
import { RejectionNotice } from '../decision/rejection.tsx';
import { useDecision } from '../decision/use-decision.ts';
import type { Schema } from '../form/schema.ts';
import { useLiveMessage } from '../live/run-stream.ts';
import { Loaded } from '../shell/failure.tsx';
import { useInbox } from '../shell/inbox-context.ts';
import { Link } from '../shell/link.tsx';
import { PageHeading } from '../shell/page-heading.tsx';
import { PersonName } from '../shell/people.tsx';
import { UntrustedLine, UntrustedText } from '../text/untrusted.tsx';
import { Moment, TimeLeft, WaitingSince } from '../time/times.tsx';
import { Transcript } from '../transcript/transcript.tsx';
import { ValueSection, ValueView } from '../values/value-view.tsx';
import { ApprovalsSection } from './approvals.tsx';
import { CommentsSection } from './comments.tsx';
import { RequestedChangesSection } from './requested-changes.tsx';
import { IdempotencyKey, Outcome, Proposal, ReplacedNotice, Warnings } from './hold-notices.tsx';

/** A hold: the call, its requirement and votes, and the decision. */
export function HoldPage({ id }: { readonly id: string }): ReactNode {
  const query = useHold(id);
  return <Loaded query={query}>{(detail) => <HoldSheet detail={detail} />}</Loaded>;
}

function HoldSheet({ detail: { hold, decisions } }: { readonly detail: HoldDetail }): ReactNode {
  const { announce } = useInbox();
  // The call as the approver knows it: as it was opened, confirmed or changed by them.
  const [known, setKnown] = useState(hold);
  const [isEditing, setIsEditing] = useState(false);
  const focus = useFocusAfterDecision(hold.state);
  const reading = useReading(hold.digest);
  const sender = useDecision(hold.id, (decided) => {
    focus.onDecided();
    setKnown(decided);
  });
  const isOpen = hold.state === 'open';
  const isReplaced = isOpen && hold.digest !== known.digest && !sender.isSending;

  useEffect(() => {
    if (isReplaced) announce('Another approver changed this call while you had it open.');
  }, [isReplaced, hold.digest, announce]);
  useEffect(() => {
    if (!isOpen) announce('This hold is settled.');
  }, [isOpen, announce]);
  return (
    <article className="sheet">
      <Heading hold={hold} />
      {!isOpen && sender.error !== null && <RejectionNotice error={sender.error} />}
      {!isOpen && <Outcome ref={focus.outcome} hold={hold} decisions={decisions} />}
      {isReplaced && (
        <ReplacedNotice key={hold.digest} before={known} now={hold} onSeen={() => setKnown(hold)} />
      )}
      <Warnings hold={hold} />
      <RequestedChangesSection hold={hold} />
      <QuestionText hold={hold} />
      <Preview hold={hold} isEditing={isEditing} />
      <Arguments hold={hold} endRef={reading.ref} />
      <Proposal hold={hold} />
      <ApprovalsSection ref={focus.approvals} hold={hold} decisions={decisions} />
      {isOpen && (
        <DecisionPanel
          hold={hold}
          isReplaced={isReplaced}
          isRead={reading.isRead}
          onRead={reading.scrollToEnd}
          sender={sender}
          onEditing={setIsEditing}
        />
      )}
      <CommentsSection holdId={hold.id} />
      {!isOutsideAgent(hold.agent) && (
        <Conversation runId={hold.runId} conversationId={hold.conversationId} />
      )}
      <Facts hold={hold} />
    </article>
  );
}

/** The height of the decision bar, which hides that part of the window. */
const BAR_PX = 72;

/** Follows whether the end of the arguments has been on screen. Changed arguments must be read again. */
function useReading(digest: string): {
  readonly isRead: boolean;
  readonly ref: Ref<HTMLDivElement>;
  readonly scrollToEnd: () => void;
} {
  const [readDigest, setReadDigest] = useState<string>();
  const end = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (end.current === null) return undefined;
    // The observer reports after the first frame, in which the bar would be locked.
    const { top, bottom } = end.current.getBoundingClientRect();
    if (bottom >= 0 && top <= innerHeight - BAR_PX) setReadDigest(digest);
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setReadDigest(digest);
      },
      { rootMargin: `0px 0px -${BAR_PX}px 0px` },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [digest]);
  const scrollToEnd = useCallback(() => {
    end.current?.scrollIntoView({ block: 'center' });
    setReadDigest(digest);
  }, [digest]);
  return { isRead: readDigest === digest, ref: end, scrollToEnd };
}

/**
 * Moves the focus to the outcome or the votes after a decision. Decisions of other approvers move it
 * only if the focused element is gone.
 */
function useFocusAfterDecision(state: Hold['state']): {
  readonly approvals: Ref<HTMLElement>;
  readonly outcome: Ref<HTMLDivElement>;
  readonly onDecided: () => void;
} {
  const approvals = useRef<HTMLElement>(null);
  const outcome = useRef<HTMLDivElement>(null);
  const [decided, setDecided] = useState(0);
  const handled = useRef({ state, decided });
  useEffect(() => {
    const before = handled.current;
    handled.current = { state, decided };
    const hasDecided = decided > before.decided;
    if (state === 'open') {
      if (hasDecided) approvals.current?.focus();
      return;
    }
    const isFocusGone = document.activeElement === null || document.activeElement === document.body;
    if (hasDecided || (before.state === 'open' && isFocusGone)) outcome.current?.focus();
  }, [state, decided]);
  return { approvals, outcome, onDecided: () => setDecided((count) => count + 1) };
}

function Heading({ hold }: { readonly hold: Hold }): ReactNode {
  const { title, requester, createdAt, expiresAt } = hold;
  const isOpen = hold.state === 'open';
  return (
    <header className="sheet-head">
      <PageHeading title={title}>
        <span className="eyebrow">{eyebrowOf(hold)}</span>
        <UntrustedLine text={title} max={200} />
      </PageHeading>
      <p className="sheet-facts">
        <code className="tool-name">
          <UntrustedLine text={hold.toolName} max={200} />
        </code>
        <span>
          {requester === undefined ? (
            'Requester unknown'
          ) : (
            <>
              Requested by <PersonName person={requester} />
            </>
          )}
        </span>
        {isOpen ? <WaitingSince since={createdAt} /> : <Moment at={createdAt} />}
        {isOpen && expiresAt !== undefined && <TimeLeft until={expiresAt} />}
      </p>
    </header>
  );
}

const REQUIRED: Readonly<Record<Hold['kind'], string>> = {
  approval: 'Approval required',
  question: 'Response required',
  external: 'Result required',
};

function eyebrowOf({ state, kind, inDoubt }: Hold): string {
  if (state !== 'open') return 'Settled';
  if (inDoubt !== undefined) return 'In doubt';
  return REQUIRED[kind];
}

/** The question that the tool asks. */
function QuestionText({ hold: { question } }: { readonly hold: Hold }): ReactNode {
  if (question === undefined) return null;
  return (
    <section className="preview" aria-labelledby="question-heading">
      <h2 id="question-heading">Question</h2>
      <div className="preview-text">
        <ValueView value={question.message} isProse />
      </div>
    </section>
  );
}

/** The tool's description of the call, for the arguments as edited. */
function Preview({
  hold,
  isEditing,
}: {
  readonly hold: Hold;
  /** True while the approver edits the arguments: the preview does not contain the edit. */
  readonly isEditing: boolean;
}): ReactNode {
  const preview = hold.edit === undefined ? hold.preview : hold.edit.preview;
  if (preview === undefined) return null;
  return (
    <section className="preview" aria-labelledby="preview-heading">
      <h2 id="preview-heading">{previewHeading(hold, isEditing)}</h2>
      <div className="preview-text">
        <ValueView value={preview} isProse />
      </div>
    </section>
  );
}

function previewHeading({ state, inDoubt }: Hold, isEditing: boolean): string {
  if (state !== 'open') return 'What was requested';
  if (isEditing) return 'Without your changes';
  return inDoubt === undefined ? 'What will happen' : 'What may have happened';
}

function Arguments({
  hold,
  endRef,
}: {
  readonly hold: Hold;
  readonly endRef: Ref<HTMLDivElement>;
}): ReactNode {
  const { preview, edit } = hold;
  // A schema is JSON.
  const schema = hold.schema as Schema | undefined;
  const validated = edit === undefined ? hold.validatedArgs : edit.validatedArgs;
  return (
    <section className={edit === undefined ? 'arguments' : 'arguments edited'}>
      <ValueSection
        value={edit?.args ?? hold.args}
        schema={schema}
        label={edit === undefined ? 'Arguments' : 'Edited arguments'}
      />
      {edit !== undefined && (
        <p className="text-note">
          Edited by <PersonName person={edit.by} />, <Moment at={edit.at} />.
        </p>
      )}
      {validated !== undefined && (
        // An approver decides about these, so they are visible before the decision.
        <details open={hold.state === 'open'}>
          <summary>
            Arguments the tool {hold.state === 'open' ? 'will receive' : 'received'}
          </summary>
          <ValueView value={validated} schema={schema} />
        </details>
      )}
      {edit !== undefined && (
        <details>
          <summary>Before the edit</summary>
          {preview !== undefined && <ValueView value={preview} isProse />}
          <ValueView value={hold.args} schema={schema} />
        </details>
      )}
      <div ref={endRef} />
    </section>
  );
}

/** The conversation that a call belongs to. */
export function Conversation({
  runId,
  conversationId,
}: {
  readonly runId: string;
  readonly conversationId: string;
}): ReactNode {
  const query = useMessages(runId, conversationId);
  const live = useLiveMessage(runId, conversationId);
  return (
    <section className="conversation" aria-labelledby="conversation-heading">
      <h2 id="conversation-heading">Conversation</h2>
      <Loaded query={query}>{(messages) => <Transcript messages={messages} live={live} />}</Loaded>
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
          <UntrustedText text={toolName} />
        </Fact>
        <Fact name="Agent">
          <UntrustedText text={agent} />
          {path.map(({ toolCallId, toolName: name }) => (
            <span key={toolCallId}>
              {' › '}
              <UntrustedText text={name} />
            </span>
          ))}
        </Fact>
        <Fact name="Run">
          <Link to={{ name: 'run', id: runId }}>Open the run</Link>
          {' · '}
          <Link to={{ name: 'audit', id: runId }}>Open its audit</Link>
        </Fact>
        {metadata !== undefined && (
          <Fact name="Metadata">
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
            <UntrustedText text={digest} />
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
