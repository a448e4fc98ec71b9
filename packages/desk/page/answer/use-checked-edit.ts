import type { JsonObject } from 'holdpoint';
import { useCallback, useRef, useState } from 'react';
import type { CheckedEdit, Hold } from '../client/types.ts';
import { useInbox } from '../shell/inbox-context.ts';
import { type Refusal, refusalOf } from './refusal.ts';

/** Edited arguments as the desk described them. */
export interface DescribedEdit {
  /** The arguments as the approver typed them. */
  readonly args: JsonObject;
  /** The digest of the hold that they were described for. */
  readonly digest: string;
  readonly checked: CheckedEdit;
}

/** The first step of an edit: the desk describes it. */
export interface EditCheck {
  readonly isChecking: boolean;
  /** The last description; `undefined` before the first, and once the hold has changed. */
  readonly described?: DescribedEdit | undefined;
  /** Why the desk described nothing. */
  readonly refusal?: Refusal | undefined;
  /** Has the desk describe these arguments. */
  readonly check: (args: JsonObject) => Promise<void>;
  /** Drops the description. */
  readonly reset: () => void;
}

/** Has the desk validate edited arguments and describe the call with them. Nothing is written. */
export function useCheckedEdit({ id, digest }: Hold): EditCheck {
  const { client } = useInbox();
  const [isChecking, setIsChecking] = useState(false);
  const [described, setDescribed] = useState<DescribedEdit>();
  const [refusal, setRefusal] = useState<Refusal>();
  const turn = useRef(0);

  const check = useCallback(
    async (args: JsonObject) => {
      const own = ++turn.current;
      setIsChecking(true);
      setRefusal(undefined);
      try {
        const checked = await client.check(id, { args });
        if (own === turn.current) setDescribed({ args, digest, checked });
      } catch (error) {
        if (own === turn.current) setRefusal(refusalOf(error));
      }
      if (own === turn.current) setIsChecking(false);
    },
    [client, id, digest],
  );

  const reset = useCallback(() => {
    turn.current += 1;
    setIsChecking(false);
    setDescribed(undefined);
    setRefusal(undefined);
  }, []);

  const isCurrent = described?.digest === digest;
  return { isChecking, described: isCurrent ? described : undefined, refusal, check, reset };
}
