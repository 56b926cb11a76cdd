/**
 * How long a backtracking engine, which is what JavaScript's is, may take for a pattern: a bound of the worst case, from
 * the pattern alone. What is within the bound is known to be quick; what is not need not be slow.
 */
import type { AST } from '@eslint-community/regexpp';

/** Exponents of the length of a text. */
interface Cost {
  /** Of how many ways there are for the node to match: each may have to be tried before what follows is given up. */
  readonly ways: number;
  /** Of the steps that trying them all takes. */
  readonly steps: number;
}

const ONE: Cost = { ways: 0, steps: 0 };

/** Whether a test takes no longer than in proportion to the length of the text, whatever the text. */
export function isQuick(pattern: AST.Pattern): boolean {
  const isAnchored = pattern.alternatives.every(
    ({ elements: [first] }) => first?.type === 'Assertion' && first.kind === 'start',
  );
  // an unanchored match is tried from every character on
  return costOfAny(pattern.alternatives).steps + (isAnchored ? 0 : 1) <= 1;
}

function costOfAny(alternatives: readonly AST.Alternative[]): Cost {
  const costs = alternatives.map(({ elements }) => costOfSequence(elements));
  if (costs.length === 1) return costs[0]!;
  const ways = Math.max(...costs.map((cost) => cost.ways)) + 1;
  return { ways, steps: Math.max(ways, ...costs.map((cost) => cost.steps)) };
}

function costOfSequence(elements: readonly AST.Element[]): Cost {
  let ways = 0;
  let steps = 0;
  for (const element of elements) {
    const cost = costOf(element);
    steps = Math.max(steps, ways + cost.steps);
    ways += cost.ways;
  }
  return { ways, steps };
}

function costOf(node: AST.Element): Cost {
  switch (node.type) {
    case 'Group':
    case 'CapturingGroup':
      return costOfAny(node.alternatives);
    case 'Quantifier':
      return costOfRepetition(node);
    case 'Assertion':
      // what matched ahead or behind is not tried in another way
      if (node.kind !== 'lookahead' && node.kind !== 'lookbehind') return ONE;
      return { ways: 0, steps: costOfAny(node.alternatives).steps };
    case 'Backreference':
      return { ways: 0, steps: 1 };
    default:
      return ONE;
  }
}

function costOfRepetition({ element, min, max }: AST.Quantifier): Cost {
  const body = costOf(element);
  if (min === max) {
    const ways = body.ways === 0 ? 0 : body.ways * max;
    return { ways, steps: Math.max(ways, body.steps + ways) };
  }
  // of a body that matches in only one way, only the number of its repetitions is open
  const ways = body.ways === 0 ? 1 : (body.ways + 1) * max;
  return { ways, steps: body.steps + ways };
}
