// The guarantee scenarios, for the files that run them in other environments. `nothing-computed` is left out, because
// it replaces modules.
import { beforeEach } from 'vitest';
import '../guarantees-probes/agents-begun-again.test.ts';
import '../guarantees-probes/answers-to-doubts.test.ts';
import '../guarantees-probes/asks-twice.test.ts';
import '../guarantees-probes/batch.test.ts';
import '../guarantees-probes/busy-and-settled.test.ts';
import '../guarantees-probes/carried-usage.test.ts';
import '../guarantees-probes/changed-state.test.ts';
import '../guarantees-probes/denied-before.test.ts';
import '../guarantees-probes/drift.test.ts';
import '../guarantees-probes/edits.test.ts';
import '../guarantees-probes/forged-approvals.test.ts';
import '../guarantees-probes/idempotency-key.test.ts';
import '../guarantees-probes/in-doubt.test.ts';
import '../guarantees-probes/ledger-forgets.test.ts';
import '../guarantees-probes/nested.test.ts';
import '../guarantees-probes/once-unless-safe.test.ts';
import '../guarantees-probes/once.test.ts';
import '../guarantees-probes/previews.test.ts';
import '../guarantees-probes/resumed-again.test.ts';
import '../guarantees-probes/what-was-approved-runs.test.ts';
import '../nested-deferral/answers.test.ts';
import '../nested-deferral/partial-answers.test.ts';
import '../nested-deferral/delegating-call.test.ts';
import '../nested-deferral/toolsets.test.ts';
import '../nested-deferral/keys.test.ts';
import '../nested-deferral/inherited.test.ts';
import '../scenarios/approved-by.test.ts';
import '../scenarios/deferral-two-phase.test.ts';
import '../scenarios/deferral-answers.test.ts';
import '../scenarios/deferral-external.test.ts';
import '../scenarios/deferral-unanswered.test.ts';

/** Scenarios about the timers of the process. The environments of `holdpoint/testing` set timers too. */
const ABOUT_TIMERS: ReadonlySet<string> = new Set([
  'after a timeout, and nothing keeps the process alive for a tool that never ends',
]);

beforeEach(({ task, skip }) => skip(ABOUT_TIMERS.has(task.name)));
