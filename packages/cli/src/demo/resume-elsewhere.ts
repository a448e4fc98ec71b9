// A process of its own: it goes on with a run that another one has parked.
import { messageCodec, resultsCodec } from 'holdpoint';
import { releaseAgent } from './release.ts';
import { Sandbox } from './sandbox.ts';

const [root = ''] = process.argv.slice(2);
const sandbox = new Sandbox(root);
const messages = messageCodec.parse(sandbox.read('parked.json'));
const results = resultsCodec.parse(sandbox.read('answers.json'));

const done = await releaseAgent({ digests: true }).resume({ messages }, results, { deps: sandbox });
console.log(`Process ${process.pid} has gone on with it: “${String(done.output)}”`);
