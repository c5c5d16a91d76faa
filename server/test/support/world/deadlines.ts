// The deadlines of the calls to the platform, which come when the test says so.
import type { Connector } from '../../../src/connectors/connector.js';
import { onEachCall } from './killable-worker.js';

export class Deadlines {
  private next = new AbortController();

  /** The deadline of every call that is under way comes now. */
  expire(): void {
    this.next.abort(new DOMException('the deadline has come', 'TimeoutError'));
    this.next = new AbortController();
  }

  around(real: Connector): Connector {
    return onEachCall(real, (call, given) => {
      const last = given.at(-1);
      if (!(last instanceof AbortSignal)) return call(...given);
      return call(...given.slice(0, -1), AbortSignal.any([last, this.next.signal]));
    });
  }
}
