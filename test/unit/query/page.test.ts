/** Pages: page and offset mode, their limits, and the meta of answers. */
import { describe } from 'node:test';
import { offsetPage, type PageLimits, pageMeta, parsePage } from '../../../src/query/page.ts';
import { parseParams } from '../../../src/query/params.ts';
import { table } from '../../support/tables.ts';

const LIMITS: PageLimits = { defaultLimit: 25, maxLimit: 100, withCount: true };
const UNLIMITED: PageLimits = { defaultLimit: 10, maxLimit: null, withCount: false };
/** `pagination` left out: `[page]=2` is `pagination[page]=2`; other parameters stand as they are. */
const whole = (text: string): string =>
  text
    .split('&')
    .map((part) => (part.startsWith('[') ? `pagination${part}` : part))
    .join('&');
const of =
  (limits: PageLimits) =>
  (text: string): string => {
    const { mode, offset, limit, withCount } = parsePage(parseParams(whole(text)), limits);
    return `${mode} ${offset} ${limit}${withCount ? ' counted' : ''}`;
  };
const page = of(LIMITS);
const unlimited = of(UNLIMITED);
/** A total behind the slash, where it is counted. */
const meta = (text: string): string => {
  const [query = '', total] = text.split('/');
  return pageMeta(parsePage(parseParams(whole(query)), LIMITS), total === undefined ? undefined : Number(total));
};
const offset = (text: string): string => {
  const { offset, limit } = offsetPage(parseParams(text));
  return `${offset} ${limit}`;
};

describe('pagination', () => {
  table('page mode', page, [
    ['', 'page 0 25 counted'],
    ['pagination', 'page 0 25 counted'],
    ['pagination=', 'page 0 25 counted'],
    ['[page]=1', 'page 0 25 counted'],
    ['[page]=3', 'page 50 25 counted'],
    ['[page]=3&[pageSize]=10', 'page 20 10 counted'],
    ['[pageSize]=10', 'page 0 10 counted'],
    ['[page]', 'page 0 25 counted'],
    ['[page]=', 'page 0 25 counted'],
    ['[pageSize]', 'page 0 1 counted'],
    ['[pageSize]=', 'page 0 1 counted'],
    ['[page]=0', 'page 0 25 counted'],
    ['[page]=-1', 'page 0 25 counted'],
    ['[pageSize]=0', 'page 0 1 counted'],
    ['[pageSize]=-5', 'page 0 1 counted'],
    ['[pageSize]=100', 'page 0 100 counted'],
    ['[pageSize]=101', 'page 0 100 counted'],
    ['[page]=1e2', 'page 2475 25 counted'],
    ['[page]=0x10', 'page 375 25 counted'],
    ['[page]= 2 ', 'page 25 25 counted'],
    ['[page]=2.0', 'page 25 25 counted'],
    ['[page]=99999999999999999999', 'page 9007199254740991 25 counted'],
    ['[page]=9007199254740991&[pageSize]=100', 'page 9007199254740991 100 counted'],
  ]);

  table('offset mode', page, [
    ['[start]=5', 'offset 5 25 counted'],
    ['[start]=5&[limit]=10', 'offset 5 10 counted'],
    ['[limit]=10', 'offset 0 10 counted'],
    ['[start]', 'offset 0 25 counted'],
    ['[limit]', 'offset 0 1 counted'],
    ['[start]=-1', 'offset 0 25 counted'],
    ['[limit]=0', 'offset 0 1 counted'],
    ['[limit]=-1', 'offset 0 1 counted'],
    ['[limit]=101', 'offset 0 100 counted'],
    ['[start]=1e400', 'ValidationError: pagination[start] must be a whole number'],
    ['[start]=', 'offset 0 25 counted'],
    ['[limit]=', 'offset 0 1 counted'],
  ]);

  table('numbers that are none', page, [
    ['[page]=a', 'ValidationError: pagination[page] must be a whole number'],
    ['[page]=1.5', 'ValidationError: pagination[page] must be a whole number'],
    ['[pageSize]=ten', 'ValidationError: pagination[pageSize] must be a whole number'],
    ['[start]=a', 'ValidationError: pagination[start] must be a whole number'],
    ['[start]=1.5', 'ValidationError: pagination[start] must be a whole number'],
    ['[limit]=all', 'ValidationError: pagination[limit] must be a whole number'],
    ['[limit]=1.5', 'ValidationError: pagination[limit] must be a whole number'],
    ['[page]=NaN', 'ValidationError: pagination[page] must be a whole number'],
    ['[page]=Infinity', 'ValidationError: pagination[page] must be a whole number'],
    ['[page]=1&[page]=2', 'ValidationError: pagination[page] must be a whole number'],
    ['[page][]=1&[page][]=2', 'ValidationError: pagination[page] must be a whole number'],
    ['[page][a]=1', 'ValidationError: pagination[page] must be a whole number'],
    ['[limit]=1,5', 'ValidationError: pagination[limit] must be a whole number'],
    ['[page]=１', 'ValidationError: pagination[page] must be a whole number'],
  ]);

  table('modes do not mix', page, [
    ['[page]=1&[start]=0', 'PaginationError: Cannot use both page & offset pagination in the same query'],
    ['[pageSize]=1&[limit]=1', 'PaginationError: Cannot use both page & offset pagination in the same query'],
    ['[page]=1&[limit]=1', 'PaginationError: Cannot use both page & offset pagination in the same query'],
    ['[page]&[start]', 'PaginationError: Cannot use both page & offset pagination in the same query'],
    [
      'page=1',
      'PaginationError: Invalid pagination attributes. The page parameters are incorrect and must be in the pagination object {"hint":"write pagination[page]"}',
    ],
    [
      'pageSize=10',
      'PaginationError: Invalid pagination attributes. The page parameters are incorrect and must be in the pagination object {"hint":"write pagination[pageSize]"}',
    ],
    [
      'page',
      'PaginationError: Invalid pagination attributes. The page parameters are incorrect and must be in the pagination object {"hint":"write pagination[page]"}',
    ],
    [
      'page=1&[page]=1',
      'PaginationError: Invalid pagination attributes. The page parameters are incorrect and must be in the pagination object {"hint":"write pagination[page]"}',
    ],
    ['start=1&limit=2', 'page 0 25 counted'],
  ]);

  table('forms that are no objects', page, [
    ['pagination=1', 'ValidationError: The pagination parameter must be an object'],
    ['pagination[]=1', 'ValidationError: The pagination parameter must be an object'],
    ['pagination[0][page]=1', 'ValidationError: The pagination parameter must be an object'],
    ['[size]=3', 'page 0 25 counted'],
    ['[__proto__]=1', 'ValidationError: Invalid key __proto__ in the query string'],
    ['[constructor]=1', 'page 0 25 counted'],
  ]);

  table('whether to count', page, [
    ['[withCount]=true', 'page 0 25 counted'],
    ['[withCount]=t', 'page 0 25 counted'],
    ['[withCount]=1', 'page 0 25 counted'],
    ['[withCount]=false', 'page 0 25'],
    ['[withCount]=f', 'page 0 25'],
    ['[withCount]=0', 'page 0 25'],
    ['[withCount]=yes', 'ValidationError: Invalid withCount parameter. Expected "t","1","true","false","0","f"'],
    ['[withCount]=', 'ValidationError: Invalid withCount parameter. Expected "t","1","true","false","0","f"'],
    ['[withCount]', 'ValidationError: Invalid withCount parameter. Expected "t","1","true","false","0","f"'],
    ['[withCount]=TRUE', 'ValidationError: Invalid withCount parameter. Expected "t","1","true","false","0","f"'],
    [
      '[withCount]=constructor',
      'ValidationError: Invalid withCount parameter. Expected "t","1","true","false","0","f"',
    ],
    ['[withCount][]=true', 'ValidationError: Invalid withCount parameter. Expected "t","1","true","false","0","f"'],
    ['[start]=1&[withCount]=0', 'offset 1 25'],
  ]);

  table('without a largest page', unlimited, [
    ['', 'page 0 10'],
    ['[pageSize]=100000', 'page 0 100000'],
    ['[limit]=1e15', 'offset 0 1000000000000000'],
    ['[limit]=1e30', 'offset 0 9007199254740991'],
    ['[limit]=0', 'offset 0 1'],
    ['[withCount]=1', 'page 0 10 counted'],
  ]);

  table('the meta of an answer', meta, [
    ['/60', '{"page":1,"pageSize":25,"pageCount":3,"total":60}'],
    ['[page]=3/60', '{"page":3,"pageSize":25,"pageCount":3,"total":60}'],
    ['[page]=9/60', '{"page":9,"pageSize":25,"pageCount":3,"total":60}'],
    ['[pageSize]=7/60', '{"page":1,"pageSize":7,"pageCount":9,"total":60}'],
    ['/0', '{"page":1,"pageSize":25,"pageCount":0,"total":0}'],
    ['[start]=7/60', '{"start":7,"limit":25,"total":60}'],
    ['[start]=7&[limit]=3/0', '{"start":7,"limit":3,"total":0}'],
    ['[page]=2', '{"page":2,"pageSize":25}'],
    ['[start]=2&[limit]=3', '{"start":2,"limit":3}'],
    ['[page]=9007199254740991&[pageSize]=100/1', '{"page":90071992547410,"pageSize":100,"pageCount":1,"total":1}'],
  ]);

  table('plain start and limit, for accounts', offset, [
    ['', '0 9007199254740991'],
    ['start=3', '3 9007199254740991'],
    ['limit=3', '0 3'],
    ['start=3&limit=4', '3 4'],
    ['limit=0', '0 9007199254740991'],
    ['limit=-1', '0 9007199254740991'],
    ['start=-1', 'ValidationError: start must be a whole number of at least 0'],
    ['start=a', 'ValidationError: start must be a whole number'],
    ['limit=1.5', 'ValidationError: limit must be a whole number'],
    ['start=', '0 9007199254740991'],
    ['limit=', '0 9007199254740991'],
    ['start=1&start=2', 'ValidationError: start must be a whole number'],
  ]);
});
