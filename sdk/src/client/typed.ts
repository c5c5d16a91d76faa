// What each operation takes and returns, read from the types of openapi.json.
import type { operations, paths } from './schema.gen.js';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** The paths that know this method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends { [K in Lowercase<M>]: object } ? P : never;
}[keyof paths];

type OperationAt<M extends Method, P extends PathOf<M>> = paths[P][Lowercase<M> & keyof paths[P]];

type Parameters<O> = O extends { parameters: infer Given } ? Given : never;
type Field<T, Name extends string> = T extends { [K in Name]: infer Value }
  ? NonNullable<Value>
  : T extends { [K in Name]?: infer Value }
    ? NonNullable<Value>
    : never;

type BodyIn<O> = Field<Field<Field<O, 'requestBody'>, 'content'>, 'application/json'>;
type QueryIn<O> = Loose<Field<Parameters<O>, 'query'>>;

/** A parameter that is undefined is not sent. One that takes several words takes one, too. */
type Loose<T> = { [K in keyof T]: OneOrMore<NonNullable<T[K]>> | undefined };
type OneOrMore<T> = T extends readonly (infer Word extends string)[] ? Words<Word> : T;
/** As a list, or as they are sent: two can be written with a comma. Three of the fifty actions are too many for the compiler. */
type Words<W extends string> = W | readonly W[] | `${W},${W}`;
type NamesIn<O> = Field<Parameters<O>, 'path'>;

type Success<O> = O extends { responses: infer All } ? All[keyof All & (200 | 201 | 202 | 204)] : never;
type ResultIn<O> = Success<O> extends { content: { 'application/json': infer Value } } ? Value : undefined;

/** Absent if the operation takes none, required if it needs one. */
type Given<Name extends string, T, IsNeeded> = [T] extends [never]
  ? { [K in Name]?: never }
  : IsNeeded extends true
    ? { [K in Name]: T }
    : { [K in Name]?: T | undefined };

type NeedsBody<O> = O extends { requestBody: object } ? true : false;
type NeedsQuery<O> = Parameters<O> extends { query: object } ? true : false;

/** What a call of an operation sends. */
export type Input<M extends Method, P extends PathOf<M>> = Given<'path', NamesIn<OperationAt<M, P>>, true> &
  Given<'query', QueryIn<OperationAt<M, P>>, NeedsQuery<OperationAt<M, P>>> &
  Given<'body', BodyIn<OperationAt<M, P>>, NeedsBody<OperationAt<M, P>>>;

/** The whole body of its response; undefined for 204. */
export type Output<M extends Method, P extends PathOf<M>> = ResultIn<OperationAt<M, P>>;

/** The body and the query that an operation takes, by its name in openapi.json. */
export type BodyOf<Name extends keyof operations> = BodyIn<operations[Name]>;
export type QueryOf<Name extends keyof operations> = QueryIn<operations[Name]>;

/** What an operation returns in `data`. */
export type DataOf<Name extends keyof operations> = Field<ResultIn<operations[Name]>, 'data'>;
