// The only way to the API: the SDK with this browser's session. Everything but a success becomes an ApiError, with texts for people.
import {
  AirdateError as ApiError,
  type Arguments,
  Client,
  type Method,
  type Output,
  type PathOf,
  type Post,
  responseOf,
} from '@airdate/sdk/core';
import { typographic } from '../text/api-text.js';
import { forPeople } from '../text/problem-texts.js';
import { withEtagCache } from './etag-cache.js';
import { isNoAnswer, noteAnswer, suspectOutage } from './outage.js';
import { askForProof } from './proof.js';
import { personOfPage, reportRightsLost, reportSessionLost } from './session.js';

export { ApiError };

/** Here a person decides what is tried again. */
class Api extends Client {
  override async request<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...input: Arguments<M, P>
  ): Promise<Output<M, P>> {
    try {
      return await super.request(method, path, ...input);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 'reauthentication_required' && (await askForProof()))
        return super.request(method, path, ...input);
      const problem = error.problem && forPeople(error.problem);
      Object.assign(
        error,
        problem ? { problem, message: problem.detail } : { message: fallbackMessage(error) },
      );
      if (error.code === 'insufficient_scope') reportRightsLost();
      if (error.status === 401 && !path.startsWith('/api/v1/auth')) reportSessionLost(error);
      throw error;
    }
  }
}

const fallbackMessage = ({ status }: ApiError): string =>
  status === 0
    ? 'Can’t reach Airdate. Check your connection and try again.'
    : `Airdate sent an unexpected response (HTTP ${status}). Try again in a moment.`;

export const api = new Api({
  url: window.location.origin,
  maxRetries: 0,
  timeout: 0,
  fetch: withEtagCache(asPerson),
});

async function asPerson(request: Request): Promise<Response> {
  const person = personOfPage();
  if (person !== undefined) request.headers.set('x-airdate-person', person);
  const response = await fetch(request).catch((error: unknown) => {
    // What the page itself has cancelled says nothing about the connection.
    if (!(error instanceof DOMException && error.name === 'AbortError')) suspectOutage();
    throw error;
  });
  if (isNoAnswer(response.status)) suspectOutage();
  else noteAnswer();
  return response;
}

/** A post with its ETag, with which a change of it says what its writer has seen. */
export type PostWithEtag = Post & { readonly etag?: string | undefined };

/** The API gave no answer, or none that it could stand for: no screen can do anything about it. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof ApiError && (error.problem === undefined || error.code === 'unavailable');

/** A post with the ETag of its response, if that has one. */
export async function askForPost(call: Promise<Post>): Promise<PostWithEtag> {
  const post = await call;
  const etag = responseOf(post)?.etag;
  return etag === undefined ? post : { ...post, etag };
}

export const messageOf = (error: unknown): string =>
  error instanceof Error ? typographic(error.message) : 'Something went wrong. Try again in a moment.';
