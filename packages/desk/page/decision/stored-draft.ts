import type { JsonValue } from 'holdpoint';
import { useEffect, useState } from 'react';
import type { Decision, Me } from '../client/types.ts';
import type { ArgsDraft, InvalidText } from '../form/draft.ts';

/** The forms of a decision. */
export type FormName = 'deny' | 'changes' | 'edit' | 'respond' | 'result';

/** Everything that an approver has typed for a hold. */
export interface HoldDraft {
  readonly form?: FormName | undefined;
  readonly reason?: string | undefined;
  /** The changes to request from the agent. */
  readonly changes?: string | undefined;
  readonly result?: ResultDraft | undefined;
  readonly args?: ArgsDraft | undefined;
  /** The input for a question, in the member `input`. */
  readonly response?: ArgsDraft | undefined;
}

/** A result as it was typed. */
export interface ResultDraft {
  readonly kind: Exclude<Decision['kind'], 'approve' | 'deny' | 'input'>;
  readonly text: string;
  readonly isJson: boolean;
}

const PREFIX = 'holdpoint-draft ';
/** Larger drafts are kept while the page is open, and not stored. */
const MAX_LENGTH = 200_000;

/** Keeps the draft for a hold in this tab, also when the page is loaded again. */
export function useStoredDraft(
  me: Me | undefined,
  holdId: string,
): readonly [draft: HoldDraft, setDraft: (draft: HoldDraft) => void, discard: () => void] {
  const key = `${PREFIX}${JSON.stringify([me?.tenant, me?.person.id, holdId])}`;
  const [draft, setDraft] = useState<HoldDraft>(() => readDraft(key));
  useEffect(() => storeDraft(key, draft), [key, draft]);
  const discard = () => {
    setDraft({});
    // A settled hold has no form any more whose effect could do this.
    sessionStorage.removeItem(key);
  };
  return [draft, setDraft, discard];
}

/** Removes all drafts from this tab. */
export function discardDrafts(): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  }
}

interface StoredDraft extends Omit<HoldDraft, 'args' | 'response'> {
  readonly args?: StoredValue | undefined;
  readonly response?: StoredValue | undefined;
}

interface StoredValue {
  readonly value: JsonValue;
  readonly invalid: readonly [string, InvalidText][];
}

function readDraft(key: string): HoldDraft {
  const text = sessionStorage.getItem(key);
  if (text === null) return {};
  // This page wrote it.
  const { args, response, ...draft } = JSON.parse(text) as StoredDraft;
  return {
    ...draft,
    ...(args && { args: readValue(args) }),
    ...(response && { response: readValue(response) }),
  };
}

function readValue({ value, invalid }: StoredValue): ArgsDraft {
  return { value, invalid: new Map(invalid) };
}

function storedValue({ value, invalid }: ArgsDraft): StoredValue {
  return { value, invalid: [...invalid] };
}

function storeDraft(key: string, { args, response, ...draft }: HoldDraft): void {
  const stored: StoredDraft = {
    ...draft,
    args: args && storedValue(args),
    response: response && storedValue(response),
  };
  const text = JSON.stringify(stored);
  if (text === '{}' || text.length > MAX_LENGTH) return sessionStorage.removeItem(key);
  try {
    sessionStorage.setItem(key, text);
  } catch {
    // The storage is full, so the draft is lost when the page closes.
  }
}
