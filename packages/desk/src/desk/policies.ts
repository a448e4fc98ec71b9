import { UserError } from 'holdpoint';
import { checkRule } from '../approvers/check-rule.ts';
import type { ApproverRule, HoldApprovers } from '../model/approver-rule.ts';
import type { Approvers, Shadow, WaitingCallInfo } from './desk-options.ts';

/** How long calls may wait. */
export type Expiry = number | ((call: WaitingCallInfo) => number | undefined) | undefined;

/** What is asked about every call that is about to wait. */
export interface Policies {
  readonly expiry: Expiry;
  /** The rule for a call; throws if what the application says is none. */
  readonly approvers: (call: WaitingCallInfo) => HoldApprovers | undefined;
  /** Whether a call is only noted, and not held. */
  readonly isShadow: (call: WaitingCallInfo) => boolean;
}

/** The policies of a desk; what can be checked before there is a call is checked now. */
export function policiesOf(options: {
  readonly expiresAfter?: Expiry;
  readonly approvers?: Approvers | undefined;
  readonly shadow?: Shadow | undefined;
}): Policies {
  const { expiresAfter, approvers, shadow } = options;
  return { expiry: expiresAfter, approvers: rulesOf(approvers), isShadow: shadowOf(shadow) };
}

function rulesOf(approvers: Approvers | undefined): Policies['approvers'] {
  if (approvers === undefined) return () => undefined;
  if (typeof approvers === 'function') {
    return (call) => {
      const rule = ofPolicy('approvers', () => approvers(call));
      return rule === undefined
        ? undefined
        : checkRule(`What approvers says to '${call.toolName}'`, rule);
    };
  }
  if (!isByTool(approvers)) {
    const rule = checkRule('approvers', approvers);
    return () => rule;
  }
  const rules = new Map(
    Object.entries(approvers).map(
      ([name, rule]) => [name, checkRule(`approvers['${name}']`, rule)] as const,
    ),
  );
  return ({ toolName }) => rules.get(toolName);
}

/** Members of a rule are no objects, but lists, numbers and so on. */
function isByTool(
  approvers: ApproverRule | Readonly<Record<string, ApproverRule>>,
): approvers is Readonly<Record<string, ApproverRule>> {
  const values: readonly unknown[] = Object.values(approvers);
  return values.some((one) => typeof one === 'object' && one !== null && !Array.isArray(one));
}

function shadowOf(shadow: Shadow | undefined): Policies['isShadow'] {
  if (shadow === undefined) return () => false;
  return (call) =>
    call.kind === 'approval' &&
    call.inDoubt === undefined &&
    // Anything but a clear yes is a no.
    ofPolicy('shadow', () => shadow(call)) === true;
}

/** What a function of the application says; if it throws, somebody has to mend it before the run goes on. */
function ofPolicy<Said>(name: string, ask: () => Said): Said {
  try {
    return ask();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UserError(
      `'${name}' has thrown: ${reason} Nobody is asked by a rule that is not known. Mend it, and have the run be tried again.`,
      { cause: error },
    );
  }
}
