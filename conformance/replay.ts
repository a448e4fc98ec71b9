import { readOptions } from './src/options.ts';
import { replaySuite } from './src/replay-suite.ts';

const { lines, exitCode } = await replaySuite(readOptions(process.argv.slice(2)));
console.log(lines.join('\n'));
process.exitCode = exitCode;
