import { terminalHandler } from '@holdpoint/cli';
import { agent } from './agent.ts';

const prompt = process.argv.slice(2).join(' ') || 'Delete the draft.';
console.log(`You: ${prompt}`);

// The run pauses at each call that needs approval until you decide it.
const result = await agent.run(prompt, { deferredToolHandler: terminalHandler() });
console.log(`Agent: ${result.output}`);
