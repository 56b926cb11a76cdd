/** Layers above the page: open dialogs, side panels and sheets. The last one opened covers the others and the page. */
import { createContext, use, useLayoutEffect, useState } from 'react';

/** An open layer; null is the page. */
export type Layer = object | null;

export const LayerContext = createContext<Layer>(null);

let openLayers: readonly Layer[] = [];

/** The layer that a component is rendered in. */
export function useLayer(): Layer {
  return use(LayerContext);
}

/** The layer that covers all others. */
export function topLayer(): Layer {
  return openLayers.at(-1) ?? null;
}

/** The layer that another one covers. */
export function layerBelow(layer: Layer): Layer {
  return openLayers[openLayers.indexOf(layer) - 1] ?? null;
}

/** Lists a layer among the open ones while it is open. Returns the value of `LayerContext` for its content. */
export function useOpenLayer(open: boolean): object {
  const [layer] = useState(() => ({}));
  useLayoutEffect(() => {
    if (!open) return;
    openLayers = [...openLayers, layer];
    return () => {
      openLayers = openLayers.filter((other) => other !== layer);
    };
  }, [open, layer]);
  return layer;
}
