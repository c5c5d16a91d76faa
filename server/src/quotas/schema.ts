// Quotas on the wire.
import { type Static, Type } from 'typebox';
import { MAX_QUOTA, QUOTAS, type QuotaName } from '../config/quotas.js';
import { nullable } from '../request/schema.js';

const MEANING: Readonly<Record<QuotaName, string>> = {
  bytes: 'Bytes in files, requested uploads and stored responses to Idempotency-Keys',
  posts_per_day: 'Posts created since midnight UTC',
  keys: 'Active API keys',
  members: 'Members',
  accounts: 'Connected accounts, including those to reconnect',
  invitations: 'Open invitations',
};

/** One property for each quota. */
const each = <T>(make: (description: string) => T) =>
  Object.fromEntries(QUOTAS.map((name) => [name, make(MEANING[name])])) as Record<QuotaName, T>;

const used = Type.Integer({
  description: 'What the organization uses. If there is no limit, counting stops at 1,000 (except for bytes)',
});
const limit = nullable(Type.Integer({ description: 'The limit; null: no limit' }));
const overridden = Type.Boolean({
  description: 'True if the limit is set for this organization instead of the plan',
});

export const Quotas = Type.Object(each((description) => Type.Object({ used, limit }, { description })));
export type Quotas = Static<typeof Quotas>;

export const OperatorQuotas = Type.Object(
  each((description) => Type.Object({ used, limit, overridden }, { description })),
);
export type OperatorQuotas = Static<typeof OperatorQuotas>;

export const UpdateQuotas = Type.Object(
  each((description) =>
    Type.Optional(
      nullable(
        Type.Integer({
          minimum: 0,
          maximum: MAX_QUOTA,
          description: `${description}; 0: no limit; null: the plan's`,
        }),
      ),
    ),
  ),
  { additionalProperties: false, examples: [{ bytes: 50_000_000_000, keys: null }] },
);
export type UpdateQuotas = Static<typeof UpdateQuotas>;

const example = (values: Record<QuotaName, readonly [used: number, limit: number | null]>, more: object) =>
  Object.fromEntries(Object.entries(values).map(([name, [used, limit]]) => [name, { used, limit, ...more }]));

const VALUES = {
  bytes: [184_320, 200_000_000_000],
  posts_per_day: [3, null],
  keys: [1, null],
  members: [2, null],
  accounts: [1, null],
  invitations: [0, null],
} as const;

export const EXAMPLE_QUOTAS = example(VALUES, {});
export const EXAMPLE_OPERATOR_QUOTAS = example(VALUES, { overridden: false });
