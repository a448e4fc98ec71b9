#!/usr/bin/env node
// Imports nothing before the version check, because an old Node fails on newer syntax.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 18)) {
  console.error(`holdpoint needs Node 22.18 or later; this is ${process.version}.`);
  process.exitCode = 1;
} else {
  const { handleClosedOutput } = await import('./terminal/closed-output.ts');
  const { main } = await import('./main.ts');
  handleClosedOutput();
  process.exitCode = await main(process.argv.slice(2));
}
