/** A cheap reader beside crowds of another caller who writes what is expensive. */
import { fairness } from './fairness-reads.ts';

export const experiment = fairness('writes');
