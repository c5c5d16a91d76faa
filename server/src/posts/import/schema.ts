// The import of posts on the wire.
import { type Static, Type } from 'typebox';
import { choice, nullable, timestamp, uuid } from '../../request/schema.js';
import { MAX_LABELS } from '../labels/schema.js';

export const MAX_LINES = 10_000;
export const MAX_MEDIA = 10_000;
/** The size of the JSON body, in bytes. */
export const MAX_IMPORT = 5 * 1024 * 1024;
export const MAX_PROBLEMS = 1_000;

export const ImportPosts = Type.Object(
  {
    csv: Type.String({
      minLength: 1,
      description: `A CSV file whose first line names the columns, and at most ${MAX_LINES} more lines`,
    }),
    time_zone: Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          'IANA time zone of the times in `scheduled_at` that have no offset; without it, they are a problem',
      }),
    ),
    default_status: Type.Optional(
      choice(['scheduled', 'draft'], {
        description:
          'Status of the lines that have a time and no `status`: `scheduled` publishes the posts at their times, `draft` only keeps the times. Without it, such lines are a problem, which is told once.',
      }),
    ),
    create_labels: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Creates the labels that the file names and the organization does not have',
      }),
    ),
    dry_run: Type.Optional(
      Type.Boolean({ default: false, description: 'Only checks the file, and creates nothing' }),
    ),
  },
  {
    additionalProperties: false,
    examples: [
      {
        csv: 'title,caption,status\nFive ways to fold a map,Number four is a surprise.,draft\n',
        time_zone: 'Europe/Berlin',
        dry_run: false,
      },
    ],
  },
);
export type ImportPosts = Static<typeof ImportPosts>;

const PARAMETERS = ['default_status', 'create_labels', 'time_zone'] as const;

export const ImportProblem = Type.Object({
  line: Type.Integer({
    description:
      'The first line that has it. As a spreadsheet counts: the header is line 1, and a cell with line breaks is part of one line',
  }),
  lines: Type.Integer({
    description:
      'How many lines have it: what lines lack alike, such as a status, and each unknown label are told once for the whole file',
  }),
  column: Type.Union([Type.String(), Type.Null()], {
    description: 'The name of the column; null if the problem concerns the whole line',
  }),
  message: Type.String({ description: 'What is wrong, for people' }),
  parameter: nullable(
    choice(PARAMETERS, {
      description: 'The parameter of the request that answers it for the whole file; null if there is none',
    }),
  ),
  label: Type.Optional(
    Type.String({ description: 'With `create_labels`, the name that is not a label yet' }),
  ),
  suggestions: Type.Array(Type.String(), {
    description: 'Texts for the cell that would do, such as both moments of a time that occurs twice',
  }),
});
export type ImportProblem = Static<typeof ImportProblem>;

export const ImportResult = Type.Object(
  {
    data: Type.Object(
      {
        dry_run: Type.Boolean(),
        lines: Type.Integer({ description: 'Lines with a post, without the header and empty lines' }),
        drafts: Type.Integer({ description: 'How many of them are drafts' }),
        scheduled: Type.Integer({ description: 'How many of them are scheduled' }),
        media: Type.Integer({ description: 'How many files are fetched from URLs' }),
        local_times: Type.Integer({
          description: 'How many times in `scheduled_at` had no offset, and were read in `time_zone`',
        }),
        new_labels: Type.Array(Type.String(), {
          maxItems: MAX_LABELS,
          description: 'Names of the labels that are created with the posts, or would be in a dry run',
        }),
        created: Type.Integer({ description: 'How many posts were created: all lines, or 0 in a dry run' }),
        ids: Type.Array(uuid(), {
          description: 'The created posts, in the order of their lines; empty in a dry run',
        }),
        fetch: Type.Optional(
          Type.Object(
            {
              files: Type.Integer({ description: 'How many files are fetched from URLs' }),
              done_by: timestamp(
                'Estimate of when all of them will have been fetched, from the pace of recent files of the organization',
              ),
            },
            { description: 'Only if files are fetched. The posts with the earliest slots come first.' },
          ),
        ),
        problem_count: Type.Integer({
          description: 'How many problems were found; 0 unless it is a dry run',
        }),
        problems: Type.Array(ImportProblem, {
          description: `The first ${MAX_PROBLEMS} of them: those of the whole file, then the others in the order of their lines`,
        }),
      },
      {
        examples: [
          {
            dry_run: true,
            lines: 2,
            drafts: 1,
            scheduled: 1,
            media: 3,
            local_times: 1,
            new_labels: [],
            created: 0,
            ids: [],
            problem_count: 1,
            problems: [
              {
                line: 3,
                lines: 1,
                column: 'scheduled_at',
                message: 'must be at least 5 minutes from now',
                parameter: null,
                suggestions: [],
              },
            ],
          },
        ],
      },
    ),
  },
  { description: 'The problems found, or the posts created' },
);
export type ImportResult = Static<typeof ImportResult>['data'];
