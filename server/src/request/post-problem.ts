// What keeps a post from going out, or will not appear as written: one shape in preflight, readiness and `post.at_risk`.
import { Type } from 'typebox';
import type { Finding } from '../connectors/connector.js';
import { choice, nullable, ref } from './schema.js';

export const PostProblem = Type.Object(
  {
    code: Type.String({ description: 'For programs; the catalogue of errors explains most of them' }),
    detail: Type.String({ description: 'What is wrong and what to do about it, for people' }),
    pointer: nullable(
      Type.String({ description: 'JSON pointer to a field of the post; null if no field is to blame' }),
    ),
    level: choice(['error', 'warning'], {
      description: '`error`: the post would be refused. `warning`: it goes out all the same',
    }),
  },
  {
    $id: 'PostProblem',
    examples: [
      {
        code: 'privacy_level_missing',
        detail: 'Choose who can see the post.',
        pointer: '/privacy_level',
        level: 'error',
      },
    ],
  },
);
export const PostProblemRef = ref<Finding>('PostProblem');
