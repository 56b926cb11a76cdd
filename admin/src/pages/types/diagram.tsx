/** The diagram of all types and components with their relations, and the same as a list. */
import { Link, useRouter } from '@tanstack/react-router';
import { type PointerEvent, type ReactNode, useEffect, useMemo, useRef, useState, type WheelEvent } from 'react';
import { useText } from '../../language/language.tsx';
import { IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Minus, Plus, Scan } from '../../ui/icons.ts';
import { Checkbox } from '../../ui/toggle.tsx';
import styles from './diagram.module.css';
import { BOX, type DiagramLayout, layoutDiagram, type Place } from './diagram-layout.ts';
import { otherName, type Types } from './relations.ts';
import { componentsOf, nameOfType, type WorkingType } from './working-type.ts';

/** The attributes that a box names; the others are counted. */
const MOST = 8;
const HEAD = 34;
const LINE = 18;
const FOOT = 8;
/** The longest texts of a box, in characters. */
const LETTERS = { title: 22, name: 16, type: 12 };

/** A line from an attribute to a type. */
interface Edge {
  readonly from: string;
  readonly to: string;
  readonly attribute: string;
  /** The attribute on the other side, if the line stands for both. */
  readonly other: string | undefined;
  readonly isPart: boolean;
  readonly toMany: boolean;
}

export function Diagram({ types }: { readonly types: Types }): ReactNode {
  const t = useText();
  const [withComponents, setWithComponents] = useState(true);
  const shown = useMemo(
    () => Object.values(types).filter((type) => !type.isRemoved && (withComponents || type.kind !== 'component')),
    [types, withComponents],
  );
  const edges = useMemo(() => edgesOf(shown), [shown]);
  const layout = useMemo(
    () =>
      layoutDiagram(
        shown.map((type) => ({ uid: type.uid, height: heightOf(type) })),
        edges,
      ),
    [shown, edges],
  );
  return (
    <div className={styles['diagram']}>
      <Canvas shown={shown} edges={edges} layout={layout}>
        <Checkbox label={t('types.diagram.components')} checked={withComponents} onValue={setWithComponents} />
      </Canvas>
      <AsList shown={shown} edges={edges} />
    </div>
  );
}

/** Two sides of a relation are one line. */
function edgesOf(shown: readonly WorkingType[]): readonly Edge[] {
  const known = new Set(shown.map(({ uid }) => uid));
  return shown.flatMap((type) =>
    type.attributes.flatMap(({ name, options }): readonly Edge[] => {
      const isRelation = options.type === 'relation';
      const isInverse = isRelation && (options['mappedBy'] !== undefined || options['morphBy'] !== undefined);
      const targets = isRelation ? [options['target']] : componentsOf(options);
      return targets
        .filter((to): to is string => typeof to === 'string' && known.has(to) && !isInverse)
        .map((to) => ({
          from: type.uid,
          to,
          attribute: name,
          other: isRelation ? otherName(options) : undefined,
          isPart: !isRelation,
          toMany: /Many$/.test(String(options['relation'])) || options['repeatable'] === true,
        }));
    }),
  );
}

const heightOf = ({ attributes: { length } }: WorkingType): number =>
  HEAD + Math.min(length, MOST + 1) * LINE + (length > 0 ? FOOT : 0);

interface CanvasProps {
  readonly shown: readonly WorkingType[];
  readonly edges: readonly Edge[];
  readonly layout: DiagramLayout;
  readonly children: ReactNode;
}

/** `first`: the smallest zoom with which a diagram opens, where it is still legible. */
const ZOOM = { least: 0.15, first: 0.75, most: 2, step: 1.25 };
const within = (zoom: number): number => Math.min(ZOOM.most, Math.max(ZOOM.least, zoom));

/** The drawing, which scrolls. It is dragged with the mouse, and zoomed with buttons, keys or the wheel. */
function Canvas({ shown, edges, layout, children }: CanvasProps): ReactNode {
  const t = useText();
  const frame = useRef<HTMLElement>(null);
  const [zoom, setZoom] = useState(1);
  const [pointed, setPointed] = useState<string>();
  const drag = useRef<{ readonly x: number; readonly y: number; readonly left: number; readonly top: number }>(null);
  const { width, height, places } = layout;
  const fit = (): void => {
    const { clientWidth, clientHeight } = frame.current!;
    setZoom(within(Math.min(1, clientWidth / width, clientHeight / height)));
  };
  // A large diagram first fits the width.
  useEffect(() => {
    setZoom(within(Math.max(ZOOM.first, Math.min(1, frame.current!.clientWidth / width))));
  }, [width]);
  const onWheel = (event: WheelEvent): void => {
    if (event.ctrlKey || event.metaKey) setZoom((before) => within(before * (event.deltaY < 0 ? 1.1 : 1 / 1.1)));
  };
  const onDown = (event: PointerEvent<HTMLElement>): void => {
    if (event.pointerType !== 'mouse' || event.button !== 0 || (event.target as Element).closest('a')) return;
    const { scrollLeft: left, scrollTop: top } = event.currentTarget;
    drag.current = { x: event.clientX, y: event.clientY, left, top };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onMove = (event: PointerEvent<HTMLElement>): void => {
    if (!drag.current) return;
    event.currentTarget.scrollLeft = drag.current.left - (event.clientX - drag.current.x);
    event.currentTarget.scrollTop = drag.current.top - (event.clientY - drag.current.y);
  };
  const isAway = (edge: Edge): boolean => pointed !== undefined && edge.from !== pointed && edge.to !== pointed;
  return (
    <>
      <div className={styles['tools']}>
        {children}
        <div className={styles['buttons']}>
          <IconButton
            icon={Minus}
            label={t('types.diagram.smaller')}
            disabled={zoom <= ZOOM.least}
            onClick={() => setZoom(within(zoom / ZOOM.step))}
          />
          <IconButton
            icon={Plus}
            label={t('types.diagram.larger')}
            disabled={zoom >= ZOOM.most}
            onClick={() => setZoom(within(zoom * ZOOM.step))}
          />
          <IconButton icon={Scan} label={t('types.diagram.fit')} onClick={fit} />
        </div>
      </div>
      <section
        ref={frame}
        className={styles['frame']}
        aria-label={t('types.diagram.label')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element has to be reachable with the keyboard
        tabIndex={0}
        onWheel={onWheel}
        onPointerDown={onDown}
        onPointerMove={onMove}
        onPointerUp={() => {
          drag.current = null;
        }}
      >
        {/* biome-ignore lint/a11y/noSvgWithoutTitle: the region has the label */}
        <svg width={width * zoom} height={height * zoom} viewBox={`0 0 ${width} ${height}`}>
          <defs>
            {/* At its start, the arrow of a relation with two sides points the other way. */}
            <marker
              id="diagram-arrow"
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="8"
              markerHeight="8"
              orient="auto-start-reverse"
            >
              <path d="M0 0L8 4L0 8z" className={styles['arrow']} />
            </marker>
          </defs>
          {edges.map((edge) => (
            <path
              key={`${edge.from} ${edge.attribute} ${edge.to}`}
              d={pathOf(edge, shown, places)}
              className={classes(styles['line'], edge.isPart && styles['part'], isAway(edge) && styles['away'])}
              markerEnd="url(#diagram-arrow)"
              {...(edge.other !== undefined && { markerStart: 'url(#diagram-arrow)' })}
            />
          ))}
          {shown.map((type) => (
            <TypeBox key={type.uid} type={type} place={places.get(type.uid)!} onPoint={setPointed} />
          ))}
        </svg>
      </section>
    </>
  );
}

/** A curve from the line of an attribute to the head of the other box, leaving on the side that is closer. */
function pathOf(edge: Edge, shown: readonly WorkingType[], places: ReadonlyMap<string, Place>): string {
  const [from, to] = [places.get(edge.from)!, places.get(edge.to)!];
  const index = shown.find(({ uid }) => uid === edge.from)!.attributes.findIndex(({ name }) => name === edge.attribute);
  const y1 = from.y + HEAD + (Math.min(index, MOST) + 0.5) * LINE;
  const y2 = to.y + HEAD / 2;
  const isForward = to.x > from.x;
  const x1 = isForward || to.x === from.x ? from.x + BOX : from.x;
  const x2 = isForward ? to.x : to.x + BOX;
  const bend = to.x === from.x ? 60 : Math.max(40, Math.abs(x2 - x1) / 2);
  const out = isForward || to.x === from.x ? bend : -bend;
  const into = isForward ? -bend : bend;
  return `M${x1} ${y1}C${x1 + out} ${y1} ${x2 + into} ${y2} ${x2} ${y2}`;
}

const shortened = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

interface BoxProps {
  readonly type: WorkingType;
  readonly place: Place;
  readonly onPoint: (uid: string | undefined) => void;
}

function TypeBox({ type, place: { x, y }, onPoint }: BoxProps): ReactNode {
  const t = useText();
  const router = useRouter();
  const { uid, attributes } = type;
  const link = { to: '/types/$uid', params: { uid }, search: { attribute: undefined } } as const;
  const more = attributes.length - MOST;
  return (
    <g className={classes(type.kind === 'component' && styles['component'])}>
      <a
        href={router.buildLocation(link).href}
        className={styles['box']}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          void router.navigate(link);
        }}
        onPointerEnter={() => onPoint(uid)}
        onPointerLeave={() => onPoint(undefined)}
        onFocus={() => onPoint(uid)}
        onBlur={() => onPoint(undefined)}
      >
        <rect x={x} y={y} width={BOX} height={heightOf(type)} rx={7} className={styles['paper']} />
        <text x={x + 12} y={y + 22} className={styles['title']}>
          {shortened(nameOfType(type), LETTERS.title)}
        </text>
      </a>
      {/* Clicks reach the link below. */}
      <g className={styles['lines']}>
        {attributes.slice(0, MOST).map(({ key, name, options }, at) => (
          <text key={key} x={x + 12} y={y + HEAD + at * LINE + 13} className={styles['attribute']}>
            {shortened(name, LETTERS.name)}
            <tspan x={x + BOX - 12} className={styles['type']}>
              {shortened(options.type, LETTERS.type)}
            </tspan>
          </text>
        ))}
        {more > 0 && (
          <text x={x + 12} y={y + HEAD + MOST * LINE + 13} className={styles['type']} data-more>
            {t('types.diagram.more', { count: more })}
          </text>
        )}
      </g>
    </g>
  );
}

function AsList({
  shown,
  edges,
}: {
  readonly shown: readonly WorkingType[];
  readonly edges: readonly Edge[];
}): ReactNode {
  const t = useText();
  const names = new Map(shown.map((type) => [type.uid, nameOfType(type)]));
  const sorted = shown.toSorted((one, other) => nameOfType(one).localeCompare(nameOfType(other)));
  return (
    <details className={styles['list']}>
      <summary>{t('types.diagram.list')}</summary>
      <ul>
        {sorted.map(({ uid }) => {
          const own = edges.filter(({ from }) => from === uid);
          return (
            <li key={uid}>
              <Link to="/types/$uid" params={{ uid }} search={{ attribute: undefined }}>
                {names.get(uid)}
              </Link>
              {own.length > 0 && (
                <ul>
                  {own.map(({ attribute, to, isPart, toMany }) => (
                    <li key={`${attribute} ${to}`}>
                      {t(
                        isPart
                          ? 'types.diagram.contains'
                          : toMany
                            ? 'types.diagram.leadsToMany'
                            : 'types.diagram.leadsToOne',
                        { attribute, name: names.get(to)! },
                      )}
                    </li>
                  ))}
                </ul>
              )}
            </li>
          );
        })}
      </ul>
    </details>
  );
}
