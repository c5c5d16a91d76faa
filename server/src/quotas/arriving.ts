// Uploads of unannounced length on their way to the disk store. They are counted when they have arrived; until then they
// share what the organization has left, so that many at once cannot fill the disk.
import type { App } from '../api/app.js';
import type { Room } from '../files/disk/intake.js';
import { Tally } from '../ground/tally.js';
import { bytesLeft } from './quotas.js';
import { quotaExceeded } from './refusal.js';

/** Bytes of uploads in progress in this process, by organization. */
const newArriving = () => new Tally();

/** Refuses an upload that cannot fit. `sent` is its length, if the client says it. */
export async function roomForUpload(app: App, orgId: string, sent: number | null): Promise<Room | null> {
  const left = await bytesLeft(app, app.db.read, orgId);
  if (left === null) return null;
  const { used, limit } = left;
  const arriving = app.perProcess(newArriving);
  let taken = 0;
  const room: Room = {
    take(bytes) {
      taken += bytes;
      arriving.add(orgId, bytes);
      return used + arriving.of(orgId) > limit ? quotaExceeded('bytes', used, limit) : null;
    },
    leave() {
      arriving.add(orgId, -taken);
      taken = 0;
    },
  };
  if (used + Math.max(sent ?? 0, 1) > limit) throw quotaExceeded('bytes', used, limit, sent ?? undefined);
  return room;
}
