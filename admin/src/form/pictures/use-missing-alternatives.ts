/** Which pictures of a text need an alternative text, and which one is being described. */
import { useRef, useState } from 'react';
import type { Listed, MissingAlternative, PlacedPicture } from './missing-alternatives.tsx';

interface Described extends PlacedPicture {
  /** The alternative text so far. */
  readonly text: string;
  /** The entry of the list that is being answered. */
  readonly entry?: Listed;
}

interface MissingAlternativesState {
  readonly missing: readonly Listed[];
  readonly describing: Described | undefined;
  readonly ask: (pictures: readonly MissingAlternative[]) => void;
  /** Opens the dialog for an entry of the list. */
  readonly answer: (picture: Listed) => void;
  /** Opens the dialog for any picture. */
  readonly describe: (picture: Described) => void;
  readonly leave: (picture: Listed) => void;
  /** To be called when the dialog is closed. */
  readonly closed: () => void;
}

export function useMissingAlternatives(): MissingAlternativesState {
  const [missing, setMissing] = useState<readonly Listed[]>([]);
  const [describing, setDescribing] = useState<Described>();
  const count = useRef(0);
  return {
    missing,
    describing,
    ask: (pictures) => {
      const listed = pictures.map((picture) => {
        count.current += 1;
        return { ...picture, key: count.current };
      });
      if (listed.length > 0) setMissing((before) => [...before, ...listed]);
    },
    answer: (entry) => setDescribing({ ...entry, text: '', entry }),
    describe: setDescribing,
    leave: (picture) => setMissing((before) => before.filter((one) => one !== picture)),
    closed: () => {
      setMissing((before) => before.filter((one) => one !== describing?.entry && one.isMissing()));
      setDescribing(undefined);
    },
  };
}
