import { useChat } from '@ai-sdk/react';
import {
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai';
import { QUESTION_TOOL } from 'holdpoint/ai-sdk-ui';
import { useRef, useState } from 'react';
import { isQuestion, QuestionCard } from './question-card.tsx';
import { ToolCard } from './tool-card.tsx';
import { useChanges } from './use-changes.ts';

/** A conversation with the support agent. */
export function ChatPage({ id, messages }: { id: string; messages: UIMessage[] }) {
  // `useChat` sends only the body of the last decision, so the page collects the edits of all cards.
  const edits = useRef<Record<string, unknown>>({});
  // #region use-chat
  const chat = useChat({
    id,
    messages,
    resume: true,
    sendAutomaticallyWhen: (options) =>
      lastAssistantMessageIsCompleteWithApprovalResponses(options) ||
      lastAssistantMessageIsCompleteWithToolCalls(options),
    onToolCall({ toolCall }) {
      if (toolCall.toolName !== 'get_time_zone') return;
      const output = Intl.DateTimeFormat().resolvedOptions().timeZone;
      void chat.addToolOutput({ tool: 'get_time_zone', toolCallId: toolCall.toolCallId, output });
    },
  });
  // #endregion
  useChanges('/api/chat', chat);
  // #region decide
  const decide = (approvalId: string, approved: boolean, edit?: unknown) => {
    if (edit !== undefined) edits.current[approvalId] = edit;
    const options = { body: { edits: edits.current } };
    void chat.addToolApprovalResponse({ id: approvalId, approved, options });
  };
  // #endregion
  // #region respond
  const respond = (toolCallId: string, output: string) =>
    void chat.addToolOutput({ tool: QUESTION_TOOL, toolCallId, output });
  // #endregion
  return (
    <>
      <h1>Support</h1>
      {chat.messages.map((message) => (
        <article key={message.id} aria-label={message.role}>
          {message.parts.map((part, index) => {
            if (part.type === 'text') return <p key={index}>{part.text}</p>;
            if (!isToolUIPart(part)) return null;
            if (isQuestion(part)) return <QuestionCard key={index} part={part} respond={respond} />;
            return <ToolCard key={index} part={part} decide={decide} />;
          })}
        </article>
      ))}
      {chat.error && <p role="alert">{chat.error.message}</p>}
      <Prompt
        isDisabled={chat.status !== 'ready'}
        send={(text) => void chat.sendMessage({ text })}
      />
    </>
  );
}

function Prompt({ isDisabled, send }: { isDisabled: boolean; send: (text: string) => void }) {
  const [text, setText] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send(text);
        setText('');
      }}
    >
      <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
      <button type="submit" disabled={isDisabled || text === ''}>
        Send
      </button>
    </form>
  );
}
