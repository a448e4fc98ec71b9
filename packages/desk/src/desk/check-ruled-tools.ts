import { UserError } from 'holdpoint';
import { RULE_MEMBERS } from '../approvers/check-rule.ts';
import { adviceFor } from '../model/check-keys.ts';

/** The names of the tools of a desk. */
export interface KnownTools {
  readonly names: readonly string[];
  /** False if a toolset may add tools in a run. */
  readonly isComplete: boolean;
}

/** The consequence for calls of a tool without its rule, by the option that has the rules. */
const CONSEQUENCES = {
  approvers: 'The tool that was meant would have no rule, and every approver could decide it.',
  redact: 'The arguments of the tool that was meant would be visible.',
};

/** Throws for a rule whose tool no agent has, because it was meant for another tool. */
export function checkRuledTools(
  option: keyof typeof CONSEQUENCES,
  ruled: readonly string[],
  known: KnownTools,
): void {
  for (const name of ruled) {
    if (known.names.includes(name)) continue;
    throw new UserError(
      `\`${option}\` has a rule for \`${name}\`, but no agent of this desk has a tool with this name. ` +
        `${CONSEQUENCES[option]} ${adviceOn(option, name, known)}`,
    );
  }
}

function adviceOn(option: string, name: string, { names, isComplete }: KnownTools): string {
  if (option === 'approvers' && RULE_MEMBERS.includes(name)) {
    return 'To use one rule for all tools, pass the rule itself.';
  }
  const advice = adviceFor(name, names);
  return isComplete
    ? advice
    : `${advice} If a toolset adds the tool in a run, list its name in \`dynamicTools\`.`;
}
