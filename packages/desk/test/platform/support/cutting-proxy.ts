import type { Socket } from 'node:net';
import { Proxy } from './proxy.ts';

/** A proxy that closes a connection right after it forwarded a text, so that no response arrives. */
export class CuttingProxy extends Proxy {
  /** The text. No connection is closed while it is undefined. */
  text: string | undefined;

  protected override join(client: Socket, server: Socket): void {
    client.on('close', () => server.end());
    server.on('close', () => client.destroy());
    server.on('data', (data) => client.write(data));
    client.on('data', (data) => {
      server.write(data);
      if (this.text !== undefined && data.includes(this.text)) client.destroy();
    });
  }
}
