import { type DynamicToolUIPart, getToolName, type ToolUIPart } from 'ai';
import { useState } from 'react';

type Decide = (approvalId: string, approved: boolean, edit?: unknown) => void;

/** A tool call: its request for approval, or its outcome. */
export function ToolCard({
  part,
  decide,
}: {
  part: ToolUIPart | DynamicToolUIPart;
  decide: Decide;
}) {
  const name = getToolName(part);
  return (
    <section aria-label={name} data-state={part.state}>
      <strong>{name}</strong>
      {part.state === 'approval-requested' && (
        <Approval approval={part.approval} input={part.input} decide={decide} />
      )}
      {part.state === 'input-available' && (
        <>
          <pre>{JSON.stringify(part.input)}</pre>
          <p>Pending.</p>
        </>
      )}
      {part.state === 'output-available' && <p>{String(part.output)}</p>}
      {part.state === 'output-error' && <p role="alert">{part.errorText}</p>}
      {part.state === 'output-denied' && <p>Denied.</p>}
    </section>
  );
}

interface ApprovalProps {
  approval: { id: string; requestReason?: string };
  input: unknown;
  decide: Decide;
}

function Approval({ approval, input, decide }: ApprovalProps) {
  const [edit, setEdit] = useState<string>();
  const approve = () =>
    decide(approval.id, true, edit === undefined ? undefined : JSON.parse(edit));
  return (
    <>
      <p>{approval.requestReason}</p>
      {edit === undefined ? (
        <pre>{JSON.stringify(input)}</pre>
      ) : (
        <textarea
          aria-label="Arguments"
          value={edit}
          onChange={(event) => setEdit(event.target.value)}
        />
      )}
      <button type="button" onClick={approve}>
        Approve
      </button>
      <button type="button" onClick={() => decide(approval.id, false)}>
        Deny
      </button>
      {edit === undefined && (
        <button type="button" onClick={() => setEdit(JSON.stringify(input))}>
          Edit
        </button>
      )}
    </>
  );
}
