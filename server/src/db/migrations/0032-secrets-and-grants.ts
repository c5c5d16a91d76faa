import type { Migration } from './migration.js';

// Secrets of webhooks that were replaced more than once within a day: each signs for as long as it was promised. The newest
// replaced one stays in the endpoint's row, where processes of the previous version look for it. A trigger keeps those before
// it, so that a rotation by such a process ends none of them.
//
// And which processes are about to exchange a code or to revoke a grant, so that no revocation ends a grant that is just
// being received (accounts/grant-calls.ts).

/** A rotation moves the secret to `previous_secret` as it is; sealing both again changes the text. */
const ON = 'after update of previous_secret on webhook_endpoints for each row when';
const IS_ROTATION =
  'old.previous_secret is not null and old.previous_until is not null and new.previous_secret = old.secret';

const KEEP = `insert into webhook_previous_secrets (org_id, endpoint_id, n, secret, valid_until)
        select old.org_id, old.id, coalesce(max(n), 0) + 1, old.previous_secret, old.previous_until
        from webhook_previous_secrets where org_id = old.org_id and endpoint_id = old.id;`;

export const secretsAndGrants: Migration = {
  name: 'secrets and grants',
  statements: ({ engine, uuid, word }) => [
    `create table webhook_previous_secrets (
      org_id ${uuid} not null,
      endpoint_id ${uuid} not null,
      n bigint not null,
      secret text not null,
      valid_until bigint not null,
      primary key (org_id, endpoint_id, n),
      foreign key (org_id, endpoint_id) references webhook_endpoints (org_id, id) on delete cascade
    )`,
    ...(engine === 'sqlite'
      ? [
          `create trigger webhook_secret_replaced ${ON} ${IS_ROTATION}
    begin
      ${KEEP}
    end`,
        ]
      : [
          `create function keep_previous_secret() returns trigger language plpgsql as $$
    begin
      ${KEEP}
      return null;
    end $$`,
          `create trigger webhook_secret_replaced ${ON} (${IS_ROTATION})
    execute function keep_previous_secret()`,
        ]),

    `create table grant_calls (
      id ${uuid} primary key,
      platform ${word} not null,
      kind ${word} not null check (kind in ('exchange', 'revocation')),
      valid_until bigint not null
    )`,
  ],
};
