import type { JsonObject, JsonValue } from 'holdpoint';
import { type ReactNode, useMemo, useState } from 'react';
import { formatCount } from '../text/format.ts';
import { UntrustedLine } from '../text/untrusted.tsx';
import { lineOf } from '../values/json-text.ts';
import { ValueView } from '../values/value-view.tsx';
import type { LiveMessage } from './live-message.ts';
import { type Author, type Entry, liveEntriesOf, transcriptOf } from './transcript-of.ts';

const LAST = 12;

const NAMES: Readonly<Record<Author, string>> = {
  person: 'Requester',
  agent: 'Agent',
  tool: 'Tool',
  application: 'Application',
};

/** The last entries of a conversation, and earlier ones on request. */
export function Transcript({
  messages,
  live,
}: {
  readonly messages: readonly JsonObject[];
  /** The message that the run has not finished yet. */
  readonly live?: LiveMessage | undefined;
}): ReactNode {
  const stored = useMemo(() => transcriptOf(messages), [messages]);
  const isNew = live !== undefined && live.position >= messages.length;
  const entries = isNew ? [...stored, ...liveEntriesOf(live)] : stored;
  const [max, setMax] = useState(LAST);
  const hidden = Math.max(0, entries.length - max);
  if (entries.length === 0) return <p className="empty">No messages yet.</p>;
  return (
    <>
      {hidden > 0 && (
        <p className="text-note">
          {formatCount(hidden, 'earlier entry', 'earlier entries')} not shown.{' '}
          <button type="button" className="text-button" onClick={() => setMax(max * 4)}>
            Show earlier entries
          </button>
        </p>
      )}
      <ol className="transcript" start={hidden + 1}>
        {entries.slice(hidden).map((entry, index) => (
          // A conversation only grows at its end, so an index identifies an entry.
          <EntryView key={hidden + index} entry={entry} />
        ))}
      </ol>
    </>
  );
}

function EntryView({
  entry: { author, action, toolName, content, isLive },
}: {
  readonly entry: Entry;
}): ReactNode {
  const tool = toolName !== undefined && (
    <span className="tool-name">
      <UntrustedLine text={toolName} max={80} />
    </span>
  );
  return (
    <li className={`entry ${author}`} aria-busy={isLive}>
      <p className="entry-head">
        <b>{NAMES[author]}</b>
        {author === 'tool' && tool}
        {action !== undefined && <span>{action}</span>}
        {author !== 'tool' && tool}
        {isLive && <span className="live">In progress</span>}
      </p>
      {content !== undefined && <Content content={content} isProse={author !== 'tool'} />}
    </li>
  );
}

/** Texts are shown; arguments and results with members are collapsed. */
function Content({
  content,
  isProse,
}: {
  readonly content: JsonValue;
  readonly isProse: boolean;
}): ReactNode {
  if (typeof content !== 'object' || content === null)
    return <ValueView value={content} depth={1} isProse={isProse} />;
  if (Object.keys(content).length === 0) return null;
  return (
    <details>
      <summary>
        <span>
          <UntrustedLine text={lineOf(content)} max={120} />
        </span>
      </summary>
      <ValueView value={content} depth={1} />
    </details>
  );
}
