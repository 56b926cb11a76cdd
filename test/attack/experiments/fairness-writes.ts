/** A cheap reader beside many connections of another caller with expensive writes. */
import { fairness } from './fairness-reads.ts';

export const experiment = fairness('writes');
