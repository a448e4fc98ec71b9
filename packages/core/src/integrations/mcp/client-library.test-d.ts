import type * as client from '@modelcontextprotocol/client';
import type * as stdio from '@modelcontextprotocol/client/stdio';
import { expectTypeOf } from 'vitest';
import type { ClientLibrary, McpTransport, StdioLibrary } from './client-library.ts';

// The package has the members that the structural types describe.
expectTypeOf<typeof client>().toExtend<ClientLibrary>();
expectTypeOf<typeof stdio>().toExtend<StdioLibrary>();

// Its transports are accepted.
expectTypeOf<client.InMemoryTransport>().toExtend<McpTransport>();
expectTypeOf<client.SSEClientTransport>().toExtend<McpTransport>();
expectTypeOf<stdio.StdioClientTransport>().toExtend<McpTransport>();
