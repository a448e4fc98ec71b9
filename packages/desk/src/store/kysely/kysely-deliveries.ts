import { sql } from 'kysely';
import type { DeliveryRow } from '../../model/delivery-row.ts';
import type { DeliveryKey, ReadDeliveries } from '../store.ts';
import { KyselyTable } from './kysely-table.ts';

/** Deliveries in a database. */
export class KyselyDeliveries
  extends KyselyTable<DeliveryRow, DeliveryKey>
  implements ReadDeliveries
{
  ofEvent(tenant: string, eventId: string): Promise<readonly DeliveryRow[]> {
    return this.all(sql`tenant = ${tenant} and event_id = ${eventId} order by receiver`);
  }
}
