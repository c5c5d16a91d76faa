// A platform that takes slides, fetches them, and denies it: the answer is replaced on its way to the worker.
import type { Connector, Outcome } from '../../../src/connectors/connector.js';

/** Named by what it would look like on the wire. */
const LIES = {
  400: {
    kind: 'refused',
    code: 'invalid_params',
    reason: 'The platform does not accept the post as it is (invalid_params)',
    isRepeatable: false,
  },
  401: {
    kind: 'reauthorize',
    code: 'access_token_invalid',
    reason: 'The platform no longer takes the access token (access_token_invalid)',
    cure: 'refresh',
  },
  /** No lie: the platform takes the post, and its answer is lost. */
  lost: {
    kind: 'unknown',
    code: 'no_answer',
    reason: 'The platform did not answer (no_answer)',
  },
  503: {
    kind: 'later',
    code: 'temporarily_unavailable',
    reason: 'The platform is not available (temporarily_unavailable)',
  },
} as const satisfies Record<string, Outcome>;

export type Lie = `${keyof typeof LIES}`;

export class ScriptedDenials {
  /** How many lies were told since the last `tell`. */
  told = 0;
  private next: Lie | null = null;
  private whenFetched: () => Promise<void> = async () => {};

  /** The next init of slides that is taken is denied, when the platform has fetched all it can. Later ones are not. */
  tell(lie: Lie | null, whenFetched: () => Promise<void>): void {
    this.told = 0;
    this.next = lie;
    this.whenFetched = whenFetched;
  }

  /** Wraps the platform for every worker of the story. */
  readonly connector = (real: Connector): Connector => ({
    ...real,
    submit: async (...given) => {
      const outcome = await real.submit(...given);
      const lie = this.next;
      if (lie === null || outcome.kind !== 'accepted') return outcome;
      this.next = null;
      this.told++;
      await this.whenFetched();
      return LIES[lie];
    },
  });
}
