// An agent with files in memory and a scripted model.
import { Agent, ExternalToolset, type Model, tool } from 'holdpoint';
import { z } from 'zod';

/** The executed calls, one line each. */
export const done: string[] = [];

const OLD = ['# Kettle', '', 'Boils water.', '', '## Use', '', 'Press the button.', ''].join('\n');

const writeFile = tool({
  name: 'write_file',
  inputSchema: z.object({
    path: z.string().endsWith('.md', 'Only .md files.'),
    content: z.string(),
  }),
  requiresApproval: true,
  preview: ({ path, content }) => ({ path, before: OLD, after: content }),
  execute({ path, content }) {
    done.push(`write ${path} ${JSON.stringify(content)}`);
    return 'written';
  },
});

const deleteFile = tool({
  name: 'delete_file',
  inputSchema: z.object({ path: z.string(), force: z.boolean().default(false) }),
  requiresApproval: true,
  execute({ path, force }) {
    done.push(`delete ${path}${force ? ' by force' : ''}`);
    return 'deleted';
  },
});

const owner = new ExternalToolset([{ name: 'ask_owner' }]);

export const tools = [writeFile, deleteFile];

/** Creates the agent. */
export function fileAgent(model: Model) {
  return new Agent({
    name: 'janitor',
    model,
    tools,
    toolsets: [owner],
    durability: { digests: true },
  });
}
