// Event ids: a number per organization, preceded by the epoch after a restore. Clients treat them as opaque. They have a
// fixed length and use digits and lower-case letters, so that they sort by time: an epoch begins with a letter, which a
// number without one is far too small to reach.

const SEQ_DIGITS = 9;
const EPOCH_DIGITS = 8;

export const EVENT_ID = `^evt_(e[0-9a-z]{${EPOCH_DIGITS}}_)?[0-9a-z]{${SEQ_DIGITS}}$`;

/** Sorts before every event. */
export const NO_EVENT = 'evt_000000000';

export function idOf({ epoch, seq }: { epoch: number; seq: number }): string {
  const number = seq.toString(36).padStart(SEQ_DIGITS, '0');
  return epoch === 0 ? `evt_${number}` : `evt_e${epoch.toString(36).padStart(EPOCH_DIGITS, '0')}_${number}`;
}

export function parseId(id: string): { epoch: number; seq: number } {
  const [number, epoch] = id.slice('evt_'.length).split('_').reverse() as [string, string | undefined];
  return {
    seq: Number.parseInt(number, 36),
    epoch: epoch === undefined ? 0 : Number.parseInt(epoch.slice(1), 36),
  };
}
