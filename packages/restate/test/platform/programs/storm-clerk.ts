// A process that starts runs and decides holds until it is killed: node clerk.cjs <setup as JSON>
import { runClerk } from '../../../../desk/test/platform/support/crash/clerk.ts';
import type { Setup } from '../../../../desk/test/platform/support/crash/messages.ts';
import { restateEngine } from '../../../src/index.ts';
import { readStorm } from '../../support/storm-setup.ts';

const { ingress } = readStorm();
// The test passes the setup.
const setup = JSON.parse(process.argv[2] ?? '') as Setup;
void runClerk(setup, (desk) => {
  desk.useEngine(restateEngine({ ingress, onError: () => {} }));
});
