/** Which pictures of a text ask for an alternative text, and which one is being described. */
import { useState } from 'react';
import type { AskedPicture } from './asked.tsx';

interface Described {
  readonly url: string;
  readonly text: string;
}

interface Asking {
  readonly asked: readonly AskedPicture[];
  readonly describing: Described | undefined;
  readonly ask: (pictures: readonly AskedPicture[]) => void;
  readonly answer: (picture: AskedPicture) => void;
  /** Describes one that nobody has asked for. */
  readonly describe: (picture: Described) => void;
  readonly leave: (picture: AskedPicture) => void;
  /** Says that nothing is described any longer. */
  readonly closed: () => void;
}

export function useAsked(): Asking {
  const [asked, setAsked] = useState<readonly AskedPicture[]>([]);
  const [describing, setDescribing] = useState<Described>();
  const without = (address: string) => (all: readonly AskedPicture[]) => all.filter(({ url }) => url !== address);
  return {
    asked,
    describing,
    ask: (pictures) =>
      setAsked((before) => [...before, ...pictures.filter(({ url }) => !before.some((one) => one.url === url))]),
    answer: ({ url }) => setDescribing({ url, text: '' }),
    describe: setDescribing,
    leave: ({ url }) => setAsked(without(url)),
    closed: () => {
      if (describing) setAsked(without(describing.url));
      setDescribing(undefined);
    },
  };
}
