// A separate process that resumes a run which another process has parked.
import { messageCodec, resultsCodec } from 'holdpoint';
import { releaseAgent } from './release.ts';
import { Sandbox } from './sandbox.ts';

const [root = ''] = process.argv.slice(2);
const sandbox = new Sandbox(root);
const messages = messageCodec.parse(sandbox.read('parked.json'));
const results = resultsCodec.parse(sandbox.read('results.json'));

const agent = releaseAgent({ digests: true });
const { output } = await agent.resume({ messages }, results, { deps: sandbox });
console.log(`Process ${process.pid} resumed the run: “${String(output)}”`);
