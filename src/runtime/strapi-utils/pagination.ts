/** `pagination` of `@strapi/utils`: converts between pages by number and by offset. */
import { errors } from '../requests/strapi-errors.ts';

interface Page {
  readonly page?: number | null;
  readonly pageSize?: number | null;
  readonly start?: number | null;
  readonly limit?: number | null;
}
interface Options {
  readonly defaults?: { readonly offset?: Page; readonly page?: Page };
  /** -1 for none. */
  readonly maxLimit?: number;
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
/** One object over another, without its undefined members. */
const over = <T extends object>(base: T, values: object): T => ({
  ...base,
  ...Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)),
});

/** Arguments with `start` and `limit`, whichever way they name a page. */
function withDefaultPagination<T extends Page>(args: T, { defaults = {}, maxLimit = -1 }: Options = {}) {
  const valid = ({ start, limit }: { start: number; limit: number }) => {
    const least = limit === -1 ? limit : Math.max(limit, 1);
    return { start: Math.max(start, 0), limit: maxLimit === -1 || least < maxLimit ? least : maxLimit };
  };
  const offset = over({ start: 0, limit: 10 }, defaults.offset ?? {});
  const byPage = isGiven(args.page) || isGiven(args.pageSize);
  const byOffset = isGiven(args.start) || isGiven(args.limit);
  if (!byPage && !byOffset) return { ...args, ...valid(offset) };
  if (byPage && byOffset)
    throw new errors.PaginationError('Cannot use both page & offset pagination in the same query');
  const { page: _page, pageSize: _pageSize, start: _start, limit: _limit, ...rest } = args;
  if (byOffset) {
    const { start, limit } = over(offset, args);
    return { ...rest, ...valid({ start, limit: limit === -1 ? maxLimit : limit }) };
  }
  const requested = isGiven(args.pageSize)
    ? { page: args.page, pageSize: Math.max(1, args.pageSize!) }
    : { page: args.page };
  const { page, pageSize } = over(over({ page: 1, pageSize: 10 }, defaults.page ?? {}), requested);
  const { limit } = valid({ start: 0, limit: pageSize });
  return { ...rest, ...valid({ start: (page - 1) * limit, limit }) };
}

/** The description of a page: its number, its size, and the number of pages. */
function transformPagedPaginationInfo(info: Page, total: number) {
  const paged = (page: number, pageSize: number) => ({
    page,
    pageSize,
    pageCount: pageSize > 0 ? Math.ceil(total / pageSize) : 0,
    total,
  });
  if (isGiven(info.page)) return paged(info.page!, info.pageSize ?? total);
  if (!isGiven(info.start)) return { ...info, page: 1, pageSize: 10, pageCount: 1, total };
  const limit = info.limit ?? total;
  return paged(Math.floor(info.start! / limit) + 1, limit);
}

/** The description of a page: its start, its limit, and the total. */
function transformOffsetPaginationInfo(info: Page, total: number) {
  if (isGiven(info.page)) {
    const limit = info.pageSize ?? total;
    return { start: (info.page! - 1) * limit, limit, total };
  }
  if (isGiven(info.start)) return { start: info.start, limit: info.limit ?? total, total };
  return { ...info, start: 0, limit: 10, total };
}

export const pagination = { withDefaultPagination, transformPagedPaginationInfo, transformOffsetPaginationInfo };
