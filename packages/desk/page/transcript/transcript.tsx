import type { JsonObject, JsonValue } from 'holdpoint';
import { type ReactNode, useMemo, useState } from 'react';
import { counted } from '../text/beginning.ts';
import { ForeignLine } from '../text/foreign.tsx';
import { lineOf } from '../values/json-text.ts';
import { ValueView } from '../values/value-view.tsx';
import { type Speaker, transcriptOf, type Utterance } from './transcript-of.ts';

const LAST = 12;

const NAMES: Readonly<Record<Speaker, string>> = {
  person: 'Person',
  agent: 'Agent',
  tool: 'Tool',
  application: 'Application',
};

/** A conversation, its end first on the screen: what came earlier is there when it is asked for. */
export function Transcript({ messages }: { readonly messages: readonly JsonObject[] }): ReactNode {
  const all = useMemo(() => transcriptOf(messages), [messages]);
  const [most, setMost] = useState(LAST);
  const hidden = Math.max(0, all.length - most);
  if (all.length === 0) return <p className="nothing">Nothing was said yet.</p>;
  return (
    <>
      {hidden > 0 && (
        <p className="foreign-note">
          {counted(hidden, 'earlier entry').replace('entrys', 'entries')} not shown.{' '}
          <button type="button" className="text-button" onClick={() => setMost(most * 4)}>
            Show earlier ones
          </button>
        </p>
      )}
      <ol className="transcript" start={hidden + 1}>
        {all.slice(hidden).map((one, at) => (
          // A conversation is only added to: what is said has no name but its place.
          <Entry key={hidden + at} utterance={one} />
        ))}
      </ol>
    </>
  );
}

function Entry({
  utterance: { who, what, toolName, content },
}: {
  readonly utterance: Utterance;
}): ReactNode {
  return (
    <li className={`utterance ${who}`}>
      <p className="utterance-who">
        <b>{NAMES[who]}</b>
        {toolName !== undefined && who === 'tool' && (
          <span className="tool-name">
            <ForeignLine text={toolName} most={80} />
          </span>
        )}
        <span>{what}</span>
        {toolName !== undefined && who !== 'tool' && (
          <span className="tool-name">
            <ForeignLine text={toolName} most={80} />
          </span>
        )}
      </p>
      {content !== undefined && <Content content={content} isProse={who !== 'tool'} />}
    </li>
  );
}

/** Texts are there to be read; arguments and results with members are opened by those who want to. */
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
          <ForeignLine text={lineOf(content)} most={120} />
        </span>
      </summary>
      <ValueView value={content} depth={1} />
    </details>
  );
}
