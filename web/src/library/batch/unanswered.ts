// Keys for requests whose response may never come: the same request again takes effect only once.
import type { BulkBody } from './bulk.js';

export interface Keys {
  keyFor: (body: BulkBody) => string;
  /** The API has refused the request: the next try is a new one. */
  forget: (body: BulkBody) => void;
  /**
   * The request has taken effect. An unanswered one on the same posts is over: sent again, it would be meant anew, but its
   * old key would bring back the old answer.
   */
  succeeded: (body: BulkBody) => void;
}

export function keysOfUnanswered(newKey: () => string): Keys {
  const waiting = new Map<string, { key: string; ids: string[] }>();
  const nameOf = (body: BulkBody) => JSON.stringify(body);
  return {
    keyFor(body) {
      const known = waiting.get(nameOf(body)) ?? { key: newKey(), ids: body.ids };
      waiting.set(nameOf(body), known);
      return known.key;
    },
    forget: (body) => void waiting.delete(nameOf(body)),
    succeeded(body) {
      for (const [name, { ids }] of waiting)
        if (ids.some((id) => body.ids.includes(id))) waiting.delete(name);
    },
  };
}
