/**
 * The cost of each feature, in a loop of ten steps with three calls each. Each entry is compared
 * with the first one, the plain loop.
 */
import { Agent, approveAll, MemoryLedger } from 'holdpoint';
import { otel } from 'holdpoint/otel';
import { drain, loopModel, weatherTool } from './support.mjs';

const STEPS = 10;

const needsApproval = () => ({ tools: [weatherTool({ requiresApproval: true })] });

const hooks = {
  name: 'passes-through',
  wrapModelRequest: (call, next) => next(call),
  wrapToolValidation: async ({ args }, next) => {
    await next(args);
  },
  wrapToolExecution: (_, next) => next(),
};

/** Creates a tracer that stores each span, which is also the first action of an exporter. */
function storingTracer() {
  return {
    startSpan(name, options) {
      const span = { name, attributes: { ...options?.attributes }, started: performance.now() };
      return {
        spanContext: () => ({ traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 }),
        isRecording: () => span.ended === undefined,
        setAttributes(attributes) {
          Object.assign(span.attributes, attributes);
        },
        addEvent() {},
        setStatus() {},
        recordException() {},
        end() {
          span.ended = performance.now();
        },
      };
    },
  };
}

const loops = {
  'plain loop': {},
  'capability with three hooks': { agent: () => ({ capabilities: [hooks] }) },
  'three such capabilities': {
    agent: () => ({ capabilities: ['a', 'b', 'c'].map((name) => ({ ...hooks, name })) }),
  },
  tracing: { agent: () => ({ capabilities: [otel({ tracer: storingTracer() })] }) },
  'history processor, all': { agent: () => ({ historyProcessors: [(messages) => messages] }) },
  'history processor, onNew': {
    agent: () => ({ historyProcessors: [{ onNew: (messages) => messages }] }),
  },
  'event handler (onEvent)': { run: () => ({ onEvent() {} }) },
  'event handler of a capability': {
    agent: () => ({ capabilities: [{ name: 'listens', onEvent() {} }] }),
  },
  'events of a stream': { isStreamed: true },
  'tool timeout': { agent: () => ({ toolTimeout: 60_000 }) },
  'handler, nothing deferred': { run: () => ({ deferredToolHandler: approveAll() }) },
  'handler, all calls approved': {
    agent: needsApproval,
    run: () => ({ deferredToolHandler: approveAll() }),
  },
  'the same with digests': {
    agent: needsApproval,
    run: () => ({ deferredToolHandler: approveAll(), durability: { digests: true } }),
  },
  'ledger, nothing deferred': { run: () => ({ durability: { ledger: new MemoryLedger() } }) },
  'handler and ledger, all calls approved': {
    agent: needsApproval,
    run: () => ({ deferredToolHandler: approveAll(), durability: { ledger: new MemoryLedger() } }),
  },
};

/** All features, after the plain loop. */
export const FEATURES = Object.entries(loops).map(([name, { agent, run, isStreamed }]) => ({
  name,
  unit: 'step',
  operations: STEPS + 1,
  make: () => {
    const made = new Agent({
      model: loopModel(STEPS, 3),
      tools: [weatherTool()],
      ...agent?.(),
    });
    return isStreamed ? () => drain(made.stream('Go.')) : () => made.run('Go.', run?.());
  },
}));
