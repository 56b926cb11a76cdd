/** What is measured: one request form each, as a client of the fixture's article type sends it. */

export interface Workload {
  /** Names the row of the table and the route of the hand-written handler. */
  readonly name: string;
  /** Path and query of the content API; `:documentId` stands for a published article. */
  readonly path: string;
}

export const workloads: readonly Workload[] = [
  { name: 'list', path: '/api/articles' },
  { name: 'two-relations', path: '/api/articles?populate[0]=author&populate[1]=tags' },
  { name: 'populate-all', path: '/api/articles?populate=*' },
  {
    name: 'three-levels',
    path: '/api/articles?populate[author][populate][articles][populate]=tags&pagination[pageSize]=10',
  },
  {
    name: 'filter-sort',
    path: '/api/articles?filters[author][name][$contains]=5&filters[views][$gte]=1000&sort=views:desc&pagination[pageSize]=10',
  },
  { name: 'single', path: '/api/articles/:documentId?populate=*' },
];
