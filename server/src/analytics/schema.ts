// The analytics summary on the wire.
import { type Static, Type } from 'typebox';
import { ref } from '../http/schema.js';

export const AnalyticsSummary = Type.Object(
  {
    total_posts: Type.Integer(),
    published: Type.Integer({ description: 'Posts that were published, archived ones included' }),
    scheduled: Type.Integer(),
    total_dispatches: Type.Integer({ description: 'Publish attempts, open ones included' }),
    successful_dispatches: Type.Integer(),
    success_rate: Type.Integer({ description: 'Whole-number percentage; 0 when there are no attempts' }),
  },
  {
    $id: 'AnalyticsSummary',
    examples: [
      {
        total_posts: 120,
        published: 74,
        scheduled: 9,
        total_dispatches: 81,
        successful_dispatches: 74,
        success_rate: 91,
      },
    ],
  },
);
export type AnalyticsSummary = Static<typeof AnalyticsSummary>;
export const AnalyticsSummaryRef = ref<AnalyticsSummary>('AnalyticsSummary');
