/** The layout of the diagram: types in columns, so that most lines lead from left to right. */

export interface DiagramNode {
  readonly uid: string;
  readonly height: number;
}

export interface DiagramEdge {
  readonly from: string;
  readonly to: string;
}

export interface Place {
  readonly x: number;
  readonly y: number;
}

export interface DiagramLayout {
  readonly places: ReadonlyMap<string, Place>;
  readonly width: number;
  readonly height: number;
}

/** The width of a box. */
export const BOX = 200;
const COLUMN_GAP = 110;
const ROW_GAP = 28;
const MARGIN = 24;
/** A column that would be higher is continued in the next one. */
const HIGHEST = 1500;
/** The number of times that columns are sorted. */
const ROUNDS = 4;

/** Places connected types in layers, and types without connections in columns after them. */
export function layoutDiagram(nodes: readonly DiagramNode[], edges: readonly DiagramEdge[]): DiagramLayout {
  const heights = new Map(nodes.map(({ uid, height }) => [uid, height]));
  const known = edges.filter(({ from, to }) => from !== to && heights.has(from) && heights.has(to));
  const linked = new Set(known.flatMap(({ from, to }) => [from, to]));
  const layers = sorted(
    layersOf(
      nodes.filter(({ uid }) => linked.has(uid)).map(({ uid }) => uid),
      known,
    ),
    known,
  );
  const alone = nodes.filter(({ uid }) => !linked.has(uid)).map(({ uid }) => uid);
  const columns = [...layers, ...(alone.length > 0 ? [alone] : [])].flatMap((layer) => split(layer, heights));
  const heightOf = (column: readonly string[]): number =>
    column.reduce((sum, uid) => sum + heights.get(uid)! + ROW_GAP, -ROW_GAP);
  const tallest = Math.max(0, ...columns.map(heightOf));
  const places = new Map<string, Place>();
  columns.forEach((column, at) => {
    let y = MARGIN + (tallest - heightOf(column)) / 2;
    for (const uid of column) {
      places.set(uid, { x: MARGIN + at * (BOX + COLUMN_GAP), y });
      y += heights.get(uid)! + ROW_GAP;
    }
  });
  const width = 2 * MARGIN + Math.max(1, columns.length) * (BOX + COLUMN_GAP) - COLUMN_GAP;
  return { places, width, height: tallest + 2 * MARGIN };
}

/** The layer of a node is one more than those of all nodes that lead to it; edges that close a cycle do not count. */
function layersOf(uids: readonly string[], edges: readonly DiagramEdge[]): readonly (readonly string[])[] {
  const targets = new Map(uids.map((uid) => [uid, [] as string[]]));
  for (const { from, to } of edges) targets.get(from)!.push(to);
  const order: string[] = [];
  const seen = new Map<string, 'open' | 'done'>();
  const forward = new Map(uids.map((uid) => [uid, [] as string[]]));
  const visit = (uid: string): void => {
    seen.set(uid, 'open');
    for (const to of targets.get(uid)!) {
      if (seen.get(to) === 'open') continue;
      forward.get(uid)!.push(to);
      if (!seen.has(to)) visit(to);
    }
    seen.set(uid, 'done');
    order.unshift(uid);
  };
  for (const uid of uids) if (!seen.has(uid)) visit(uid);
  const depth = new Map(uids.map((uid) => [uid, 0]));
  for (const uid of order) {
    for (const to of forward.get(uid)!) depth.set(to, Math.max(depth.get(to)!, depth.get(uid)! + 1));
  }
  const layers: string[][] = [];
  for (const uid of uids) {
    const layer = depth.get(uid)!;
    while (layers.length <= layer) layers.push([]);
    layers[layer]!.push(uid);
  }
  return layers;
}

/** Sorts each layer by the average position of the neighbours in the layers beside it. */
function sorted(layers: readonly (readonly string[])[], edges: readonly DiagramEdge[]): readonly (readonly string[])[] {
  const neighbours = new Map<string, string[]>();
  const add = (one: string, other: string): void => {
    const list = neighbours.get(one);
    if (list) list.push(other);
    else neighbours.set(one, [other]);
  };
  for (const { from, to } of edges) {
    add(from, to);
    add(to, from);
  }
  let now = layers;
  for (let round = 0; round < ROUNDS; round += 1) {
    const place = new Map(now.flatMap((layer) => layer.map((uid, at) => [uid, (at + 0.5) / layer.length] as const)));
    const weight = (uid: string): number => {
      const around = neighbours.get(uid)!.map((other) => place.get(other)!);
      return around.reduce((sum, at) => sum + at, 0) / around.length;
    };
    now = now.map((layer) => layer.toSorted((one, other) => weight(one) - weight(other)));
  }
  return now;
}

function split(layer: readonly string[], heights: ReadonlyMap<string, number>): readonly (readonly string[])[] {
  const columns: string[][] = [[]];
  let height = 0;
  for (const uid of layer) {
    const own = heights.get(uid)! + ROW_GAP;
    if (height + own > HIGHEST && height > 0) {
      columns.push([]);
      height = 0;
    }
    columns.at(-1)!.push(uid);
    height += own;
  }
  return columns;
}
