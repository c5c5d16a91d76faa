// The condition that a row is one of an organization, by its whole key. Nearly every statement about one row says it.
import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely';

interface Keyed {
  org_id: string;
  id: string;
}

/** For `where`. A missing value throws: left out, the condition would hold for every row. */
export const isRow =
  ({ org_id, id }: Keyed) =>
  <Tables, Name extends keyof Tables>(
    eb: ExpressionBuilder<Tables, Name>,
  ): ExpressionWrapper<Tables, Name, SqlBool> => {
    if (org_id === undefined || id === undefined)
      throw new Error('a row is named by its organization and its id');
    return eb.and({ org_id, id } as never);
  };
