import { ApprovalRequired, CallDeferred, tool } from 'holdpoint';

/** A tool that requires approval, and then defers the call as external. */
export const twoStages = tool({
  name: 'two_stages',
  execute(_, ctx) {
    if (ctx.toolCallApproved) throw new CallDeferred({ stage: 2 });
    throw new ApprovalRequired({ stage: 1 });
  },
});

/** A tool that ends the run when it is called. */
export const crashes = tool({
  name: 'crashes',
  execute: () => {
    throw new Error('crash');
  },
});

/** A tool that needs approval and throws until the test repairs it. */
export function flakyTool() {
  let broken = true;
  const flaky = tool({
    name: 'flaky',
    requiresApproval: true,
    execute: () => {
      if (broken) throw new Error('crash');
      return 'fine';
    },
  });
  const mend = () => {
    broken = false;
  };
  return { flaky, mend };
}
