// The `type` of every problem is a URL that explains its code.
import { Type } from 'typebox';
import { AppError, PROBLEMS, type ProblemCode } from '../core/problems.js';
import { problemResponses } from '../request/schema.js';
import type { Server } from '../request/server.js';
import { problemPage } from './docs-site.js';

export function problemRoutes(server: Server): void {
  server.get(
    '/problems/:code',
    {
      schema: {
        operationId: 'getProblem',
        tags: ['Health'],
        summary: 'Look up a problem code',
        description:
          'The `type` of every problem is this URL. A browser gets the page of the documentation that explains it.',
        security: [],
        params: Type.Object({ code: Type.String() }),
        response: {
          200: Type.Object(
            {
              data: Type.Object(
                { code: Type.String(), status: Type.Integer(), title: Type.String() },
                { examples: [{ code: 'not_found', status: 404, title: PROBLEMS.not_found[1] }] },
              ),
            },
            { description: 'The problem with this code' },
          ),
          ...problemResponses(['not_found']),
        },
      },
    },
    async (request, reply) => {
      const { code } = request.params;
      if (!Object.hasOwn(PROBLEMS, code)) throw new AppError('not_found', 'There is no such problem code.');
      const page = problemPage(request, reply, code);
      if (page) return page as never;
      const [status, title] = PROBLEMS[code as ProblemCode];
      return { data: { code, status, title } };
    },
  );
}
