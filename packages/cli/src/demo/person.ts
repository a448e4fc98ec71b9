import { S_INFO } from '@clack/prompts';
import {
  type ApprovalDecision,
  type DeferredToolHandler,
  type DeferredToolRequests,
  type DeferredToolResults,
  ToolDenied,
} from 'holdpoint';
import { type PendingCall, pendingCalls } from '../terminal/pending-call.ts';
import type { Screen } from '../terminal/screen.ts';
import { batchTitle } from '../terminal/show-batch.ts';
import { showCall } from '../terminal/show-call.ts';
import { terminalAsker, terminalHandler } from '../terminal/terminal-handler.ts';

/** Who answers in the demo. */
export interface Person {
  /** Answers while a run waits. */
  readonly handler: DeferredToolHandler;
  /** Answers what a parked run waits for. */
  answer(requests: DeferredToolRequests): Promise<DeferredToolResults>;
}

/** Whoever sits at the terminal. */
export function realPerson(): Person {
  const ask = terminalAsker();
  const signal = new AbortController().signal;
  return {
    handler: terminalHandler(),
    answer: (requests) => ask(requests, { agent: 'release-desk', signal }),
  };
}

/** Somebody whose answers are written down, for where nobody sits. */
export function scriptedPerson(screen: Screen): Person {
  const answer = async (requests: DeferredToolRequests) => {
    const calls = pendingCalls(requests);
    screen.open(batchTitle(calls, undefined));
    for (const call of calls) {
      screen.head(S_INFO, 'blue', { text: call.toolName, style: 'bold' });
      screen.block(showCall(call));
      screen.block([{ text: `the scripted person: ${describe(call)}`, style: 'green' }]);
    }
    screen.close({ text: `${calls.length} answered.`, style: 'dim' });
    const of = (kind: PendingCall['kind']) => calls.filter((call) => call.kind === kind);
    return requests.buildResults({
      approvals: Object.fromEntries(of('approval').map((call) => [call.id, decide(call)])),
      calls: Object.fromEntries(of('external').map((call) => [call.id, OWNER_SAYS])),
    });
  };
  return { answer, handler: answer };
}

const OWNER_SAYS = 'Grace, she knows the lid.';
const KEEP = 'Keep it until Friday, please.';

function decide({ toolName }: PendingCall): ApprovalDecision {
  return toolName === 'delete_file' ? new ToolDenied(KEEP) : true;
}

function describe(call: PendingCall): string {
  if (call.kind === 'external') return `“${OWNER_SAYS}”`;
  return decide(call) === true ? 'yes' : `no. “${KEEP}”`;
}
