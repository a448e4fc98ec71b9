import type { ReactNode } from 'react';
import { GRANT_SCOPES, type GrantScope } from '../../src/model/approver-rule.ts';
import type { GrantRequest, Hold } from '../client/types.ts';
import { approvalsOf } from '../holds/hold-text.ts';

const HOUR = 3_600_000;
const WEEK = 168 * HOUR;

interface Choice {
  readonly label: string;
  readonly grant: GrantRequest & { readonly scope: GrantScope };
}

/** Grants that an approver can choose, the narrowest first. */
const CHOICES: readonly Choice[] = [
  {
    label: 'Also approve identical calls in this conversation for 1 hour',
    grant: { match: 'same-arguments', scope: 'conversation', expiresAfter: HOUR },
  },
  {
    label: 'Also approve all calls of this tool in this conversation for 1 hour',
    grant: { match: 'tool', scope: 'conversation', expiresAfter: HOUR },
  },
  {
    label: 'Also approve identical calls for this requester: up to 10 in 1 week',
    grant: { match: 'same-arguments', scope: 'requester', expiresAfter: WEEK, uses: 10 },
  },
  {
    label: 'Also approve identical calls by this agent: up to 10 in 1 week',
    grant: { match: 'same-arguments', scope: 'agent', expiresAfter: WEEK, uses: 10 },
  },
];

/** Lets the approver approve similar calls in advance, as far as the policy allows it. */
export function GrantChoice({
  hold,
  value,
  onChange,
}: {
  readonly hold: Hold;
  readonly value: GrantRequest | undefined;
  readonly onChange: (grant: GrantRequest | undefined) => void;
}): ReactNode {
  const choices = choicesFor(hold);
  if (choices.length === 0) return null;
  return (
    <label className="grant-choice">
      Remember this approval
      {value !== undefined && approvalsOf(hold).given > 0 && (
        <strong>Approvers who approved only this call must approve again.</strong>
      )}
      <select
        value={choices.findIndex(({ grant }) => grant === value)}
        onChange={({ target }) => onChange(choices[Number(target.value)]?.grant)}
      >
        <option value={-1}>No, approve this call only</option>
        {choices.map(({ label }, index) => (
          <option key={label} value={index}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A proposal can only be approved unchanged, so it has no choices. */
function choicesFor({ approvers, proposed, grant, kind, inDoubt }: Hold): readonly Choice[] {
  const widest = approvers?.grants ?? 'never';
  if (widest === 'never' || kind !== 'approval') return [];
  if (proposed !== undefined || grant !== undefined || inDoubt !== undefined) return [];
  const reach = GRANT_SCOPES.indexOf(widest);
  return CHOICES.filter(({ grant: { scope } }) => GRANT_SCOPES.indexOf(scope) <= reach);
}
