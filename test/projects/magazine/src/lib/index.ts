export { slugify } from './slug';

export enum Visibility {
  Hidden,
  Open,
}
