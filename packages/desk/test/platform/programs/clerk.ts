// A process that starts runs and decides holds until it is killed: node clerk.cjs <setup as JSON>
import { runClerk } from '../support/crash/clerk.ts';
import type { Setup } from '../support/crash/messages.ts';

// The test passes the setup.
void runClerk(JSON.parse(process.argv[2] ?? '') as Setup);
