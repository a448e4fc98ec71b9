import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { CONTESTANTS, namesOf, usesRestate } from './contestants/registry.mjs';

const require = createRequire(import.meta.url);

/** Returns the contestants that can be measured, and the others with the reason. */
export async function availableAmong(wanted, session, installProblem) {
  const reasons = new Map();
  for (const name of wanted) {
    const missing = CONTESTANTS[name].packages.filter((one) => !isInstalled(one));
    if (missing.length > 0) {
      const problem = installProblem ? ` (${installProblem})` : '';
      reasons.set(name, `not installed: ${missing.join(', ')}${problem}`);
    } else if (usesRestate(name)) {
      await session.startRestate().catch((error) => reasons.set(name, error.message));
    }
  }
  for (const name of namesOf('peer').filter((one) => !wanted.includes(one))) {
    reasons.set(name, 'left out by `--contestants`');
  }
  return { names: wanted.filter((name) => !reasons.has(name)), reasons };
}

/** Some packages export neither their manifest nor a module for `require`, so this reads the folders. */
function isInstalled(name) {
  return require.resolve.paths(name).some((folder) => existsSync(`${folder}/${name}/package.json`));
}
