import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mcpStdio, type McpStdioOptions, type McpToolset } from 'holdpoint/mcp';
import { repository } from '../../support/run-program.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import type { Script, RpcMessage } from './scripted-protocol.ts';

/** The Node that the repository installs. */
export const node = `${repository}node_modules/.bin/node`;

const program = fileURLToPath(new URL('./scripted-stdio-server.ts', import.meta.url));

/** Returns the path of a program of the reference MCP servers. */
export function serverProgram(name: 'server-everything' | 'server-filesystem'): string {
  return `${repository}node_modules/@modelcontextprotocol/${name}/dist/index.js`;
}

type Options = Partial<Omit<McpStdioOptions, 'command' | 'args' | 'env'>>;

/** The reference server with all features of MCP, as a process. */
export function everything(options: Options = {}): McpToolset {
  const args = [serverProgram('server-everything'), 'stdio'];
  return mcpStdio({ id: 'everything', command: node, args, stderr: 'ignore', ...options });
}

/** MCP's server for files, in one folder. */
export function filesystem(folder: string, options: Options = {}): McpToolset {
  const args = [serverProgram('server-filesystem'), folder];
  return mcpStdio({ id: 'files', command: node, args, stderr: 'ignore', ...options });
}

/** A scripted server, as a process. */
export interface ScriptedServer extends AsyncDisposable {
  /** Creates a toolset with its own server process. */
  toolset(options?: Options): McpToolset;
  /** Sets the script of processes that start later. */
  rewrite(script: Script): void;
  /** Returns the messages that the processes received, in order. */
  received(): readonly RpcMessage[];
}

/** Creates a server that follows a script. Dispose of it at the end of the test. */
export async function scriptedServer(script: Script): Promise<ScriptedServer> {
  const folder = await tempFolder('mcp');
  const env = { SCRIPT: join(folder.path, 'script.json'), LOG: join(folder.path, 'log') };
  const rewrite = (next: Script) => writeFileSync(env.SCRIPT, JSON.stringify(next));
  rewrite(script);
  writeFileSync(env.LOG, '');
  return {
    rewrite,
    toolset: (options = {}) =>
      mcpStdio({ id: 'scripted', command: node, args: [program], env, ...options }),
    received: () =>
      readFileSync(env.LOG, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line): RpcMessage => JSON.parse(line)),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
