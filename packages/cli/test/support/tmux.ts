import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const repository = fileURLToPath(new URL('../../../..', import.meta.url));
const run = promisify(execFile);
const PATIENCE = 60_000;
const LOOK = 60;
let opened = 0;

/** Variables that would make screens depend on the machine. */
const UNSET =
  'FORCE_COLOR NO_COLOR CI ACCESSIBLE OPENAI_API_KEY ANTHROPIC_API_KEY HOLDPOINT_MODEL HOLDPOINT_URL HOLDPOINT_TOKEN'.split(
    ' ',
  );

/** Runs a program, then prints its exit code and the modes of the terminal. */
const WRAPPER = [
  'trap : INT',
  '"$0" "$@"',
  'code=$?',
  'modes=$(stty -a | tr " ;" "\\n\\n" | grep -xE -- "-?(icanon|echo)" | tr "\\n" " ")',
  'echo "exit $code, $modes"',
  'exec sleep 600',
].join('; ');

/**
 * Returns true if tmux is installed. Without tmux, tests are skipped with a message, or fail with
 * `HOLDPOINT_REQUIRE_TMUX=1`.
 */
export function hasTmux(): boolean {
  const { error } = spawnSync('tmux', ['-V']);
  if (error === undefined) return true;
  const missing =
    'SKIPPED: tests that drive a real terminal with tmux, which is not installed ' +
    '(apt-get install tmux, brew install tmux).';
  if (process.env['HOLDPOINT_REQUIRE_TMUX'] === '1') throw new Error(missing);
  console.error(missing);
  return false;
}

/** A real terminal with a program in it; dispose of it at the end of the test. */
export class Terminal implements AsyncDisposable {
  readonly #socket = `holdpoint-test-${process.pid}-${++opened}`;

  /** Starts a TypeScript program of the repository in a terminal of 80 columns and 24 rows. */
  static async open(
    program: string,
    args: readonly string[] = [],
    environment: Readonly<Record<string, string>> = { NO_COLOR: '1' },
  ): Promise<Terminal> {
    const node = `${repository}node_modules/.bin/node`;
    const command = [node, '--conditions=holdpoint-source', program, ...args];
    return Terminal.execute(command, repository, environment);
  }

  /** Starts any command in a folder. */
  static async execute(
    command: readonly string[],
    folder: string,
    environment: Readonly<Record<string, string>> = { NO_COLOR: '1' },
  ): Promise<Terminal> {
    const terminal = new Terminal();
    const unset = UNSET.flatMap((name) => ['-u', name]);
    const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    const wrapped = ['env', ...unset, ...variables, 'sh', '-c', WRAPPER, ...command];
    await terminal.#tmux('new-session', '-d', '-x', '80', '-y', '24', '-c', folder, ...wrapped);
    return terminal;
  }

  /** Types a text. */
  async type(text: string): Promise<void> {
    await this.#tmux('send-keys', '-l', '--', text);
  }

  /** Presses keys by their names, such as `Enter`, `Down` or `C-c`. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await this.#tmux('send-keys', key);
      // Node recognizes Escape by the time until the next key.
      await pause(LOOK);
    }
  }

  /** Presses keys without a pause between them, as an approver does who types ahead. */
  async typeAhead(...keys: readonly string[]): Promise<void> {
    await this.#tmux('send-keys', ...keys);
  }

  /** Returns the screen. */
  async screen(): Promise<string> {
    return trimmed(await this.#tmux('capture-pane', '-p'));
  }

  /** Returns the screen with its history. */
  async scrollback(): Promise<string> {
    return trimmed(await this.#tmux('capture-pane', '-p', '-S', '-'));
  }

  /** Returns the screen with its escape sequences. */
  async styled(): Promise<string> {
    return this.#tmux('capture-pane', '-p', '-e');
  }

  /** Waits until a text is on a stable screen; returns the screen. */
  async see(text: string | RegExp): Promise<string> {
    const until = Date.now() + PATIENCE;
    for (let before = ''; ; ) {
      const screen = await this.screen();
      const isThere = typeof text === 'string' ? screen.includes(text) : text.test(screen);
      if (isThere && screen === before) return screen;
      if (Date.now() > until)
        throw new Error(`There is no ${String(text)} on the screen:\n${screen}`);
      before = screen;
      await pause(LOOK);
    }
  }

  /** Waits for the end of the program; returns its exit code, and true if the terminal is restored. */
  async ended(): Promise<{ readonly exitCode: number; readonly isRestored: boolean }> {
    const screen = await this.see(/^exit \d+, /m);
    const [, code, modes] = /^exit (\d+), (.*)$/m.exec(screen) ?? [];
    const cursor = await this.#tmux('display-message', '-p', '#{cursor_flag}');
    return {
      exitCode: Number(code),
      isRestored: modes?.trim() === 'icanon echo' && cursor.trim() === '1',
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The server of this terminal alone.
    await this.#tmux('kill-server').catch(() => {});
  }

  async #tmux(...args: readonly string[]): Promise<string> {
    const { stdout } = await run('tmux', ['-L', this.#socket, '-f', '/dev/null', '-u', ...args]);
    return stdout;
  }
}

function trimmed(screen: string): string {
  return `${screen.replaceAll(/[ \t]+$/gm, '').trimEnd()}\n`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
