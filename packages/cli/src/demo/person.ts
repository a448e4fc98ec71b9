import { S_INFO } from '@clack/prompts';
import {
  type ApprovalDecision,
  type DeferredToolHandler,
  type DeferredToolRequests,
  type DeferredToolResults,
  ToolDenied,
} from 'holdpoint';
import { batchTitle, showCall } from '../terminal/calls.ts';
import { type PendingCall, pendingCalls } from '../terminal/pending-call.ts';
import type { Screen } from '../terminal/screen.ts';
import { terminalHandler, terminalPrompt } from '../terminal/terminal-handler.ts';

/** The approver of the demo. */
export interface Person {
  /** Decides during a run. */
  readonly handler: DeferredToolHandler;
  /** Decides the pending calls of a parked run. */
  decide(requests: DeferredToolRequests): Promise<DeferredToolResults>;
}

/** Creates an approver who uses the terminal. */
export function realPerson(): Person {
  const prompt = terminalPrompt();
  const { signal } = new AbortController();
  return {
    handler: terminalHandler(),
    decide: (requests) => prompt(requests, { agent: 'release-desk', signal }),
  };
}

const REVIEWER = 'Grace, she knows the lid sensor.';
const REASON = 'Keep it until Friday, please.';

/** Creates an approver with scripted decisions, for a demo without a terminal. */
export function scriptedPerson(screen: Screen): Person {
  const decide = async (requests: DeferredToolRequests) => {
    const calls = pendingCalls(requests);
    screen.open(batchTitle(calls, undefined));
    for (const call of calls) {
      screen.head(S_INFO, 'blue', { text: call.toolName, style: 'bold' });
      screen.block(showCall(call));
      screen.block([{ text: `scripted approver: ${describe(call)}`, style: 'green' }]);
    }
    screen.close({ text: `${calls.length} decided.`, style: 'dim' });
    const ofKind = (kind: PendingCall['kind']) => calls.filter((call) => call.kind === kind);
    return requests.buildResults({
      approvals: Object.fromEntries(ofKind('approval').map((call) => [call.id, decisionOn(call)])),
      calls: Object.fromEntries(ofKind('external').map((call) => [call.id, REVIEWER])),
    });
  };
  return { decide, handler: decide };
}

function decisionOn({ toolName }: PendingCall): ApprovalDecision {
  return toolName === 'delete_file' ? new ToolDenied(REASON) : true;
}

function describe(call: PendingCall): string {
  if (call.kind === 'external') return `result “${REVIEWER}”`;
  return decisionOn(call) === true ? 'approve' : `deny, “${REASON}”`;
}
