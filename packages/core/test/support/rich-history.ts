import { Agent, type Message, ModelRetry, tool, ToolFailed, ToolReturn } from 'holdpoint';
import { calls, responds, says, scriptedModel, thinks } from 'holdpoint/testing';

/** A conversation of two runs with every outcome of tools. */
export async function richHistory(): Promise<readonly Message[]> {
  const tools = {
    look: tool({ execute: () => new ToolReturn({ returnValue: 1, content: 'Look here.' }) }),
    fail: tool({ execute: () => Promise.reject(new ToolFailed('The disk is full.')) }),
    retry: tool({ execute: () => Promise.reject(new ModelRetry('Once more.')) }),
  };
  const model = scriptedModel(
    responds(thinks('Three at once.'), calls('look'), calls('fail'), calls('retry')),
    responds('Again.', calls('look')),
    responds(calls('look', {}, { id: 'same' }), calls('fail', {}, { id: 'same' })),
    says('Done.'),
    responds('Once more.', calls('look')),
    says('Done again.'),
  );
  const agent = new Agent({ model, tools, systemPrompt: 'Be brief.', instructions: 'Be kind.' });
  const first = await agent.run('Go.');
  const second = await agent.run('And again.', { messageHistory: first.messages });
  return second.messages;
}
