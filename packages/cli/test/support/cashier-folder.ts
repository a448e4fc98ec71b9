import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Desk, type HoldRow, openDesk, sqliteStore, type Store } from '@holdpoint/desk';
import { cashier, clock } from '../platform/programs/cashier.ts';

/** A folder with a desk that several processes open; dispose of it at the end of the test. */
export class CashierFolder implements AsyncDisposable {
  readonly #root = mkdtempSync(join(tmpdir(), 'holdpoint-cli-desk-'));
  #store: Store | undefined;

  /** The SQLite file. */
  get file(): string {
    return join(this.#root, 'desk.db');
  }

  get #journal(): string {
    return join(this.#root, 'journal.txt');
  }

  /** The environment of `programs/cashier-desk.ts`. */
  get environment(): Readonly<Record<string, string>> {
    return { CASHIER_DESK: this.file, CASHIER_JOURNAL: this.#journal };
  }

  /** The store, in this process. */
  async store(): Promise<Store> {
    this.#store ??= await sqliteStore({ path: this.file });
    return this.#store;
  }

  /** The desk, in this process. */
  async desk(): Promise<Desk<'cashier' | 'clock'>> {
    const deps = () => this.#journal;
    return openDesk({
      store: await this.store(),
      agents: { cashier: { agent: cashier, deps }, clock: { agent: clock, deps } },
    });
  }

  /** Starts a run for Ada and executes it until it parks; returns its id and its holds. */
  async park(
    prompt: string,
  ): Promise<{ readonly runId: string; readonly holds: readonly HoldRow[] }> {
    const desk = await this.desk();
    const runId = await desk.start('cashier', prompt, { requester: { id: 'ada', name: 'Ada' } });
    await desk.work({ runId });
    return { runId, holds: (await desk.holds({ runId })).items };
  }

  /** Changes stored rows, as an attacker would. */
  tamper(statement: string): void {
    const database = new DatabaseSync(this.file);
    database.exec(statement);
    database.close();
  }

  /** Writes a file beside the desk; returns its path. */
  write(name: string, content: string): string {
    const path = join(this.#root, name);
    writeFileSync(path, content);
    return path;
  }

  /** The lines that the tools wrote. */
  done(): readonly string[] {
    if (!existsSync(this.#journal)) return [];
    return readFileSync(this.#journal, 'utf8').split('\n').filter(Boolean);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store?.close();
    rmSync(this.#root, { recursive: true });
  }
}
