import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { repository } from './run-program.ts';

const CONTEXT = join(repository, 'examples/deploy');
/** The step that a test replaces, because the packages are not published: it links them instead. */
const INSTALL = 'npm install --omit=dev';

/** A started process of an image. */
export interface ImageProcess {
  readonly exitCode: Promise<number | null>;
  /** Waits for a log line with an event, and returns one of its fields. */
  logged(event: string, field: string): Promise<string>;
  stop(): void;
}

/** A folder that was built with the steps of a `Dockerfile`. */
export interface Image {
  /** The default command. */
  readonly command: readonly string[];
  start(command: readonly string[], environment: Readonly<Record<string, string>>): ImageProcess;
}

/** Executes the steps of `examples/deploy/Dockerfile` in a folder; `modules` are the installed packages. */
export async function buildImage(folder: string, modules: string): Promise<Image> {
  const text = await readFile(join(CONTEXT, 'Dockerfile'), 'utf8');
  const settings: Record<string, string> = {};
  let entry: readonly string[] = [];
  let command: readonly string[] = [];
  await mkdir(folder, { recursive: true });
  for (const line of text.split('\n')) {
    const [step = '', ...words] = line.split(' ');
    const rest = words.join(' ');
    switch (step) {
      case 'COPY': {
        for (const name of words.slice(0, -1)) await cp(join(CONTEXT, name), join(folder, name));
        break;
      }
      case 'RUN': {
        if (rest !== INSTALL) throw new Error(`The test has no equivalent of \`${rest}\`.`);
        await symlink(modules, join(folder, 'node_modules'));
        break;
      }
      case 'ENV': {
        for (const [name = '', value = ''] of words.map((word) => word.split('='))) {
          settings[name] = value;
        }
        break;
      }
      case 'ENTRYPOINT':
        entry = JSON.parse(rest);
        break;
      case 'CMD':
        command = JSON.parse(rest);
        break;
      case 'FROM':
      case 'WORKDIR':
      case 'USER':
      case 'EXPOSE':
      case '#':
      case '':
        break;
      default:
        throw new Error(`The test does not know the step \`${line}\`.`);
    }
  }
  return {
    command,
    start(args, environment) {
      const env = { PATH: process.env['PATH'], ...settings, ...environment };
      const [, ...words] = [...entry, ...args];
      const child = spawn(process.execPath, words, {
        cwd: folder,
        env,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let printed = '';
      child.stderr.on('data', (data) => {
        printed += String(data);
      });
      return {
        exitCode: once(child, 'close').then(() => child.exitCode),
        async logged(event, field) {
          const pattern = new RegExp(`"event":"${event}".*"${field}":"?([^",}]+)`);
          while (child.exitCode === null) {
            const [, value] = pattern.exec(printed) ?? [];
            if (value !== undefined) return value;
            await once(child.stderr, 'data');
          }
          throw new Error(`The process ended: ${printed}`);
        },
        stop: () => child.kill('SIGTERM'),
      };
    },
  };
}
