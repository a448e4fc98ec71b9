import type { DynamicToolUIPart, ToolUIPart } from 'ai';
import { QUESTION_TOOL, type UiQuestion } from 'holdpoint/ai-sdk-ui';
import { useState } from 'react';

/** A part with a question. */
export type QuestionPart = DynamicToolUIPart & { input: UiQuestion };

export function isQuestion(part: ToolUIPart | DynamicToolUIPart): part is QuestionPart {
  return part.type === 'dynamic-tool' && part.toolName === QUESTION_TOOL;
}

interface QuestionProps {
  part: QuestionPart;
  respond: (toolCallId: string, output: string) => void;
}

/** A question with a field for text. A form for other schemas uses `part.input.schema`. */
export function QuestionCard({ part, respond }: QuestionProps) {
  const [text, setText] = useState('');
  const { message, problem } = part.input;
  if (part.state !== 'input-available') return null;
  return (
    <section aria-label="Question">
      <label>
        {message} <input value={text} onChange={(event) => setText(event.target.value)} />
      </label>
      {problem && <p role="alert">{problem}</p>}
      <button type="button" onClick={() => respond(part.toolCallId, text)}>
        Respond
      </button>
    </section>
  );
}
