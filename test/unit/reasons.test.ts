/** The reasons of refusals, which only the administration API shows. */
import { deepStrictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { at, atMost, Failures, REQUIRED } from '../../src/failures.ts';
import { errorBody } from '../../src/http/protocol/reply.ts';

describe('the reasons of a refusal', () => {
  const failures = new Failures();
  failures.add(at('title'), REQUIRED);
  failures.add(at('slug'), atMost(255), 'x');
  failures.add(at('events'), 'events must name at least one event');
  const error = failures.error();
  const detailsOf = (body: string) => JSON.parse(body).error.details;
  const title = { path: ['title'], message: 'title is a required field', name: 'ValidationError' };
  const slug = { path: ['slug'], message: 'slug must be at most 255 characters', name: 'ValidationError', value: 'x' };
  const events = { path: ['events'], message: 'events must name at least one event', name: 'ValidationError' };

  it('are no part of errors of the content API', () => {
    deepStrictEqual(detailsOf(errorBody(error)), { errors: [title, slug, events] });
  });

  it('are part of errors of the administration API, for the request and for each value', () => {
    deepStrictEqual(detailsOf(errorBody(error, true)), {
      reason: { code: 'several', values: { count: 3 } },
      errors: [
        { ...title, reason: { code: 'required' } },
        { ...slug, reason: { code: 'tooLong', values: { limit: 255 } } },
        events,
      ],
    });
  });
});
