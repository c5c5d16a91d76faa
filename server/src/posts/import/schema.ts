// The import of posts on the wire.
import { type Static, Type } from 'typebox';
import { timestamp, uuid } from '../../request/schema.js';

export const MAX_LINES = 10_000;
export const MAX_MEDIA = 10_000;
/** Of the JSON body. */
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
        default: 'UTC',
        description: 'IANA time zone of the times in `scheduled_at` that have no offset',
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

export const ImportProblem = Type.Object({
  line: Type.Integer({
    description:
      'As a spreadsheet counts: the header is line 1, and a cell with line breaks is part of one line',
  }),
  column: Type.Union([Type.String(), Type.Null()], {
    description: 'The name of the column; null if the problem concerns the whole line',
  }),
  message: Type.String({ description: 'What is wrong, for people' }),
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
        created: Type.Integer({ description: 'How many posts were created: all lines, or 0 in a dry run' }),
        ids: Type.Array(uuid(), {
          description: 'The created posts, in the order of their lines; empty in a dry run',
        }),
        fetch: Type.Optional(
          Type.Object(
            {
              files: Type.Integer({ description: 'How many files are fetched from URLs' }),
              done_by: timestamp(
                'When they will have been fetched, at the pace of the recent files of the organization',
              ),
            },
            { description: 'Only if files are fetched. The posts with the earliest slots come first.' },
          ),
        ),
        problem_count: Type.Integer({
          description: 'How many problems were found; 0 unless it is a dry run',
        }),
        problems: Type.Array(ImportProblem, {
          description: `The first ${MAX_PROBLEMS} of them, in the order of the lines`,
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
            created: 0,
            ids: [],
            problem_count: 1,
            problems: [{ line: 3, column: 'scheduled_at', message: 'must be at least 5 minutes from now' }],
          },
        ],
      },
    ),
  },
  { description: 'The problems found, or the posts created' },
);
export type ImportResult = Static<typeof ImportResult>['data'];
