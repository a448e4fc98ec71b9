import type { ReactNode } from 'react';
import type { CheckedEdit } from '../client/types.ts';
import { ForeignLine } from '../text/foreign.tsx';

/** The approvals that a call requires, as a sentence. */
export function RequirementText({
  requirement: { count = 1, roles = [], notRequester = false },
}: {
  readonly requirement: NonNullable<CheckedEdit['requirement']>;
}): ReactNode {
  return (
    <>
      Approvals required: {count}
      {roles.length > 0 && (
        <>
          {' '}
          in the role <Roles roles={roles} />
        </>
      )}
      {notRequester && ', not by the requester'}.
    </>
  );
}

/** Roles, separated by *or*. */
export function Roles({ roles }: { readonly roles: readonly string[] }): ReactNode {
  return roles.map((role, at) => (
    <span key={role}>
      {at > 0 && ' or '}
      <b>
        <ForeignLine text={role} most={80} />
      </b>
    </span>
  ));
}
