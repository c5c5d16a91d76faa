// Analytics on the wire.
import { type Static, Type } from 'typebox';
import { nullable, ref, timestamp } from '../request/schema.js';

export const AnalyticsSummary = Type.Object(
  {
    total_posts: Type.Integer(),
    published: Type.Integer({ description: 'Published posts, including archived ones' }),
    scheduled: Type.Integer(),
    total_dispatches: Type.Integer({ description: 'Publish attempts, including open ones' }),
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

const dateOrTime = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: '^\\d{4}-\\d{2}-\\d{2}([Tt].*)?$',
      maxLength: 40,
      'x-rule': 'must be a date, or a date and time with a UTC offset',
      description,
      examples: ['2026-12-01', '2026-12-01T00:00:00Z'],
    }),
  );

export const AskTimeline = Type.Object(
  {
    from: dateOrTime(
      'Start of the range, inclusive: a date, or a date and time with a UTC offset. By default the range covers 30 days.',
    ),
    to: dateOrTime(
      'End of the range: the last day, if it is a date; exclusive, if it is a date and time. Defaults to now.',
    ),
    time_zone: Type.Optional(
      Type.String({
        maxLength: 64,
        default: 'UTC',
        description: 'IANA time zone of the days, such as Europe/Berlin',
        examples: ['Europe/Berlin'],
      }),
    ),
  },
  { additionalProperties: false },
);
export type AskTimeline = Static<typeof AskTimeline>;

const count = (description?: string) => Type.Integer(description === undefined ? {} : { description });

const TimelineDay = Type.Object({
  date: Type.String({ description: 'YYYY-MM-DD, in the time zone of the request' }),
  posts_created: count(),
  posts_published: count('Posts with `posted_at` on this day'),
  dispatches: Type.Object(
    {
      started: count(),
      accepted: count(),
      published: count(),
      in_inbox: count(),
      failed: count(),
      unknown: count(),
    },
    { description: 'Attempts that started on this day, by their current outcome' },
  ),
  success_rate: nullable(
    Type.Integer({ description: 'Whole-number percentage; null when there were no attempts' }),
  ),
  lateness_p50_ms: nullable(
    Type.Integer({
      description: 'Median delay between the slot and the start of a scheduled attempt, retries included',
    }),
  ),
  lateness_p99_ms: nullable(Type.Integer({ description: '99th percentile of the same delay' })),
});

export const Timeline = Type.Object(
  {
    from: timestamp(),
    to: timestamp(),
    time_zone: Type.String({ description: 'Time zone of the days' }),
    days: Type.Array(TimelineDay, { description: 'Every day of the range, oldest first' }),
    failures: Type.Array(Type.Object({ code: Type.String(), count: count() }), {
      description: 'Failed attempts by error code, most frequent first, at most 100',
    }),
    totals: Type.Object({ dispatches: count(), successful: count(), failed: count(), unknown: count() }),
  },
  {
    $id: 'Timeline',
    examples: [
      {
        from: '2026-12-01T00:00:00Z',
        to: '2026-12-02T00:00:00Z',
        time_zone: 'UTC',
        days: [
          {
            date: '2026-12-01',
            posts_created: 12,
            posts_published: 9,
            dispatches: { started: 0, accepted: 1, published: 8, in_inbox: 0, failed: 1, unknown: 0 },
            success_rate: 90,
            lateness_p50_ms: 240,
            lateness_p99_ms: 510,
          },
        ],
        failures: [{ code: 'spam_risk_too_many_posts', count: 1 }],
        totals: { dispatches: 10, successful: 9, failed: 1, unknown: 0 },
      },
    ],
  },
);
export type Timeline = Static<typeof Timeline>;
export const TimelineRef = ref<Timeline>('Timeline');
