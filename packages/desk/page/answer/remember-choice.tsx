import type { ReactNode } from 'react';
import { GRANT_SCOPES, type GrantScope } from '../../src/model/approver-rule.ts';
import type { Hold, Remember } from '../client/types.ts';
import { quorumOf } from '../holds/hold-words.ts';

const HOUR = 3_600_000;

interface Choice {
  readonly label: string;
  readonly remember: Remember & { readonly scope: GrantScope };
}

/** How an approval can be remembered, by how far it goes. */
const CHOICES: readonly Choice[] = [
  {
    label: 'the same call again in this conversation, for an hour',
    remember: { match: 'same-arguments', scope: 'conversation', expiresAfter: HOUR },
  },
  {
    label: 'any call of this tool in this conversation, for an hour',
    remember: { match: 'tool', scope: 'conversation', expiresAfter: HOUR },
  },
  {
    label: 'the same call for whoever asked, ten times at most in a week',
    remember: { match: 'same-arguments', scope: 'requester', expiresAfter: 168 * HOUR, uses: 10 },
  },
  {
    label: 'the same call by this agent, for anybody, ten times at most in a week',
    remember: { match: 'same-arguments', scope: 'agent', expiresAfter: 168 * HOUR, uses: 10 },
  },
];

/** How far an approval goes: for this call, unless somebody says more, as far as its rule lets them. */
export function RememberChoice({
  hold,
  value,
  onChange,
}: {
  readonly hold: Hold;
  readonly value: Remember | undefined;
  readonly onChange: (remember: Remember | undefined) => void;
}): ReactNode {
  const choices = choicesFor(hold);
  const { have } = quorumOf(hold);
  if (choices.length === 0) return null;
  return (
    <label className="remember">
      An approval is for
      {value !== undefined && have > 0 && (
        <strong>This is more than others have agreed to: they have to agree again.</strong>
      )}
      <select
        value={choices.findIndex(({ remember }) => remember === value)}
        onChange={({ target }) => onChange(choices[Number(target.value)]?.remember)}
      >
        <option value={-1}>this call only</option>
        {choices.map(({ label }, at) => (
          <option key={label} value={at}>
            this call, and {label}
          </option>
        ))}
      </select>
    </label>
  );
}

/** What somebody has proposed is approved as it is, or something else is proposed. */
function choicesFor({ approvers, proposed, remember, kind, inDoubt }: Hold): readonly Choice[] {
  const widest = approvers?.remember ?? 'never';
  if (widest === 'never' || kind === 'external') return [];
  if (proposed !== undefined || remember !== undefined || inDoubt !== undefined) return [];
  const reach = GRANT_SCOPES.indexOf(widest);
  return CHOICES.filter(({ remember: { scope } }) => GRANT_SCOPES.indexOf(scope) <= reach);
}
