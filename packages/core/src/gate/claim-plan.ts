import { UserError } from '../errors/user-errors.ts';
import type { Ledger, LedgerKey } from '../ledger/ledger.ts';
import type { CallDetails } from '../messages/call-details.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { isSafeToRepeat, type ToolDefinition } from '../models/tool-definition.ts';
import { isAgentTool } from '../tools/agent-tools.ts';
import type { ToolsetTool } from '../toolsets/toolset.ts';
import type { SubAgentCalls } from '../ledger/sub-agent-calls.ts';
import type { Approval } from './approval.ts';

/** The ledger of a run, and how the run uses it so that its calls execute at most once. */
export interface LedgerClient {
  readonly ledger: Ledger;
  /** The lease of a claim in milliseconds. A heartbeat extends it. */
  readonly lease: number;
  /** The reaction to a call that another process executes: an error, or waiting for the outcome. */
  readonly onBusy: 'error' | 'wait';
  /**
   * Throws if the ledger may have forgotten entries of the last response. Does not throw on replay: an earlier attempt
   * passed this check.
   */
  requireRetained(): Promise<void>;
  /** Throws if the ledger may have forgotten entries of the last response, also on replay. For code inside a step. */
  requireRetainedNow(): Promise<void>;
  /** Returns the ledger key of a call of the last response. */
  keyOf(call: ToolCallPart): LedgerKey;
  /** True if calls execute at most once unless their tool is safe to repeat. */
  readonly unlessSafe: boolean;
  /** Returns whether the model made a call. Other tools may make calls, too. */
  isOfModel(call: ToolCallPart): boolean;
  /** Returns the calls of earlier attempts of this sub-agent; `undefined` if the run is no sub-agent's. */
  subAgentCalls(): SubAgentCalls | undefined;
}

/** How to claim a call before it executes. */
export interface ClaimPlan {
  readonly key: LedgerKey;
  readonly digest: string | undefined;
  /** The attempt in doubt that the approver was shown. The call may execute again. */
  readonly knownDoubt: string | undefined;
  /** The calls that earlier attempts of the same sub-agent made; `undefined` if they do not matter. */
  readonly subAgentCalls: SubAgentCalls | undefined;
  /** True if an approver decided about the call. */
  readonly isDecided: boolean;
}

/** Returns the claim that a call needs before it executes, if any. Sub-agents claim their own calls. */
export function planClaim(
  claims: LedgerClient | undefined,
  tool: ToolsetTool<never>,
  call: ToolCallPart,
  approval: Approval | undefined,
): ClaimPlan | undefined {
  const { definition } = tool;
  if (claims === undefined) {
    if (!definition.once) return undefined;
    throw new UserError(
      `Tool \`${definition.name}\` is marked \`once\`, which requires a ledger. Pass \`ledger\` to the agent or the run.`,
    );
  }
  const isDecided = approval !== undefined;
  const once = executesOnce(claims, definition);
  if (!isDecided && !once) return undefined;
  if (isAgentTool(tool.executor)) return undefined;
  // A call made by another tool is part of that tool's execution, unless the tool itself is marked `once`.
  if (!isDecided && !definition.once && !claims.isOfModel(call)) return undefined;
  return claimPlan(claims, call, { shown: approval?.request, isDecided, once });
}

/** Returns the plan to record a decision that executes nothing. */
export function planDecision(
  claims: LedgerClient,
  tool: ToolsetTool<never> | undefined,
  call: ToolCallPart,
  shown: CallDetails | undefined,
): ClaimPlan {
  const once = tool !== undefined && executesOnce(claims, tool.definition);
  return claimPlan(claims, call, { shown, isDecided: true, once });
}

/** Returns whether calls to a tool execute at most once, also without an approval. */
function executesOnce(claims: LedgerClient, definition: ToolDefinition): boolean {
  const { once, kind } = definition;
  return once ?? (claims.unlessSafe && kind !== 'external' && !isSafeToRepeat(definition));
}

interface PlanFacts {
  /** The approval request that was decided. */
  readonly shown: CallDetails | undefined;
  readonly isDecided: boolean;
  readonly once: boolean;
}

function claimPlan(
  claims: LedgerClient,
  call: ToolCallPart,
  { shown, isDecided, once }: PlanFacts,
): ClaimPlan {
  const { digest, inDoubt } = shown ?? {};
  return {
    key: claims.keyOf(call),
    digest,
    knownDoubt: inDoubt?.attempt,
    subAgentCalls: once ? claims.subAgentCalls() : undefined,
    isDecided,
  };
}
