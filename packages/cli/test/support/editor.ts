import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import {
  client as acpClient,
  type ClientCapabilities,
  type ClientConnection,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionOutcome,
  type RequestPermissionRequest,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk';
import { repository } from '../../../core/test/support/run-program.ts';
import { bin } from './holdpoint.ts';

/** Decides an approval request. */
type Decide = (
  request: RequestPermissionRequest,
) => RequestPermissionOutcome | Promise<RequestPermissionOutcome>;

/** Returns the choice of an option. */
export function selected(optionId: string): RequestPermissionOutcome {
  return { outcome: 'selected', optionId };
}

/** `holdpoint acp` in another process, with the client of the SDK; dispose of it at the end of the test. */
export class Editor implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown[]>;
  readonly #connection: ClientConnection;
  /** The updates so far. */
  readonly updates: SessionUpdate[] = [];
  /** The approval requests so far. */
  readonly requests: RequestPermissionRequest[] = [];
  /** The questions so far. */
  readonly questions: CreateElicitationRequest[] = [];
  /** Responds to the next questions. */
  respond: () => CreateElicitationResponse = () => ({ action: 'decline' });
  /** Decides the next approval requests. */
  decide: Decide = () => selected('deny');
  #log = '';

  private constructor(file: string, stateFolder: string) {
    const node = `${repository}node_modules/.bin/node`;
    const child = spawn(node, ['--conditions=holdpoint-source', bin, 'acp', file], {
      cwd: repository,
      env: { ...process.env, XDG_STATE_HOME: stateFolder },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    // After its exit, and after all of its output.
    this.#closed = once(child, 'close');
    child.stderr.on('data', (data) => {
      this.#log += String(data);
    });
    // Node types its web streams apart from the global ones; the values are the same.
    const input = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
    const output = Writable.toWeb(child.stdin);
    this.#connection = acpClient({ name: 'editor' })
      .onRequest(methods.client.session.requestPermission, async ({ params }) => {
        this.requests.push(params);
        return { outcome: await this.decide(params) };
      })
      .onRequest(methods.client.elicitation.create, ({ params }) => {
        this.questions.push(params);
        return this.respond();
      })
      .onNotification(methods.client.session.update, ({ params }) => {
        this.updates.push(params.update);
      })
      .connect(ndJsonStream(output, input));
  }

  /** Starts the command and initializes the connection. */
  static async open(
    file: string,
    stateFolder: string,
    clientCapabilities: ClientCapabilities = {},
  ): Promise<Editor> {
    const editor = new Editor(file, stateFolder);
    await editor.agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities,
    });
    return editor;
  }

  /** The connection to the agent. */
  get agent(): ClientConnection['agent'] {
    return this.#connection.agent;
  }

  /** The text on standard error so far. */
  get log(): string {
    return this.#log;
  }

  /** The text of the agent so far. */
  get text(): string {
    const texts = this.updates.map((update) =>
      update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text'
        ? update.content.text
        : '',
    );
    return texts.join('');
  }

  /** The status changes of tool calls so far, with the tool if it is known. */
  get statuses(): readonly string[] {
    return this.updates.flatMap((update) =>
      update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update'
        ? [`${update.title?.split(/[: ]/)[0] ?? '…'} ${update.status}`]
        : [],
    );
  }

  /** Forgets the updates and the approval requests. */
  clear(): void {
    this.updates.length = 0;
    this.requests.length = 0;
    this.questions.length = 0;
  }

  /** Starts a conversation. */
  async start(): Promise<string> {
    const { sessionId } = await this.agent.request(methods.agent.session.new, {
      cwd: repository,
      mcpServers: [],
    });
    return sessionId;
  }

  /** Loads a conversation. */
  async load(sessionId: string): Promise<void> {
    const params = { cwd: repository, mcpServers: [], sessionId };
    await this.agent.request(methods.agent.session.load, params);
  }

  /** Sends a prompt and waits for the end of the turn. */
  async prompt(sessionId: string, text: string): Promise<StopReason> {
    const { stopReason } = await this.agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: 'text', text }],
    });
    return stopReason;
  }

  /** Cancels the prompt of a session. */
  async cancel(sessionId: string): Promise<void> {
    await this.agent.notify(methods.agent.session.cancel, { sessionId });
  }

  /** Closes the input of the command; returns its exit code. */
  async close(): Promise<number | null> {
    this.#child.stdin?.end();
    await this.#closed;
    return this.#child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#closed;
  }
}
