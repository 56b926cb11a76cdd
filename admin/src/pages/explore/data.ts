/** The requests of the page of the API. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type AnswerOf, request } from '../../data/client.ts';

export type Overview = AnswerOf<'GET explore'>['data'];
export type CallerView = AnswerOf<'GET explore/view'>['data'];

export const overviewQuery = queryOptions({
  queryKey: ['explore'],
  queryFn: async ({ signal }) => (await request('GET explore', { signal })).data,
  meta: { isStored: true },
});

export const viewQuery = (as: string) =>
  queryOptions({
    queryKey: ['explore', 'view', as],
    queryFn: async ({ signal }) => (await request('GET explore/view', { query: { as }, signal })).data,
    placeholderData: keepPreviousData,
  });
