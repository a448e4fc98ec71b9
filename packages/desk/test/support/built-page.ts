import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The global setup of tests that need the page: builds it, unless it is there as its sources are. */
export default function setup(): void {
  const script = fileURLToPath(new URL('../../../../scripts/page.mjs', import.meta.url));
  execFileSync(process.execPath, [script], { stdio: 'inherit' });
}
