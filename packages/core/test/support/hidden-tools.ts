import { Agent, FunctionToolset, tool } from 'holdpoint';
import { calls, type ScriptEntry, scriptedModel } from 'holdpoint/testing';
import { named } from './toolsets.ts';

/** Returns a call of the search tool with these queries. */
export const search = (...queries: readonly string[]) =>
  calls('search_tools', { queries: [...queries] });

/** Tools `invoice_0`, `invoice_1` and so on, each with a unique word. */
export const invoices = (count: number) =>
  new FunctionToolset(
    Array.from({ length: count }, (_, at) =>
      tool({
        name: `invoice_${at}`,
        description: `Reads the invoices of customer${at}.`,
        execute: (_args, ctx) => `${ctx.toolName} ran`,
      }),
    ),
  ).deferLoading();

/** An agent with a plain tool and this toolset, and its model. */
export const runOn = (
  toolset: FunctionToolset | ReturnType<typeof invoices>,
  ...script: ScriptEntry[]
) => {
  const model = scriptedModel(...script);
  return { model, agent: new Agent({ model, tools: [named('plain')], toolsets: [toolset] }) };
};
