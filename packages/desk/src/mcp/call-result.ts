import type { CallToolResult } from '@modelcontextprotocol/server';
import type { JsonValue } from 'holdpoint';
import type { Desk } from '../desk/desk.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { RunRow } from '../model/run-row.ts';
import { visible } from '../model/visible.ts';
import { readGatewayOutput } from './approval-gateway.ts';

/** The tool that returns the outcome of an earlier call. */
export const RESULT_TOOL = 'get_result';

/** Returns a result with one text. */
export function textResult(text: string, isError = false): CallToolResult {
  return { content: [{ type: 'text', text }], ...(isError && { isError }) };
}

/** Returns the result of a run that has ended, or that an operator has to continue. */
export function endResult(run: RunRow, isGateway: boolean, desk: Desk): CallToolResult {
  if (run.state !== 'finished') {
    const where = desk.url === undefined ? '' : ` See ${desk.url}/inbox/runs/${run.id}.`;
    return textResult(`The run \`${run.id}\` did not finish: it is ${run.state}.${where}`, true);
  }
  if (!isGateway) return textResult(textOf(run.output ?? null));
  const output = readGatewayOutput(run.output);
  if (output === undefined) return textResult('The call has no result.', true);
  return textResult(textOf(output.content), output.outcome !== 'success');
}

/**
 * Returns the result of a pending call, with the address of its hold and the way to its outcome.
 */
export function pendingResult(
  run: RunRow,
  holds: readonly HoldRow[],
  desk: Desk,
  note?: string,
): CallToolResult {
  const calls = holds.map(
    (hold) => `- ${visible(hold.toolName)} (${NEEDS[hold.kind]}): ${addressOf(hold.id, desk)}`,
  );
  const state = calls.length === 0 ? ['The call is still in progress.'] : [WAITING, ...calls];
  const lines = [
    ...(note === undefined ? [] : [note]),
    ...state,
    `Nothing else is required to continue the call. Show this to the user. Call \`${RESULT_TOOL}\` with handle "${run.id}" to get the outcome. Do not repeat the call.`,
  ];
  return textResult(lines.join('\n'));
}

const WAITING = 'Not executed yet. These tool calls wait for a decision at the desk:';

const NEEDS: Readonly<Record<HoldRow['kind'], string>> = {
  approval: 'approval required',
  question: 'input required',
  external: 'result required',
};

/** Returns the address of a hold for people. */
export function addressOf(holdId: string, { url }: Desk): string {
  return url === undefined ? `hold ${holdId}` : `${url}/inbox/holds/${holdId}`;
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}
