/** The editor of JSON, with the position of the first syntax error. */
import { json, jsonLanguage } from '@codemirror/lang-json';
import { EditorState } from '@codemirror/state';
import type { ReactNode } from 'react';
import { useText } from '../../language/language.tsx';
import { useTypedText } from '../controls/typed-text.ts';
import formStyles from '../form.module.css';
import type { ControlProps } from '../host.ts';
import { roundedIn } from '../values/rounded.ts';
import { same } from '../values/same.ts';
import { type TextPlace, unparsed, unparsedText } from '../values/unparsed.ts';
import { CodeMirror } from './code-mirror.tsx';

const EXTENSIONS = [json(), EditorState.tabSize.of(2)];

export function JsonControl({ attribute, value, readOnly, onValue }: ControlProps): ReactNode {
  const t = useText();
  const own = unparsedText(value) ?? (value === null || value === undefined ? '' : JSON.stringify(value, null, 2));
  const [text, write] = useTypedText(own, (written) => same(read(written), value ?? null));
  const rounded = unparsedText(value) === undefined ? roundedIn(text) : undefined;
  return (
    <>
      <CodeMirror
        look="code"
        value={text}
        readOnly={readOnly}
        hint={attribute.placeholder ?? undefined}
        extensions={EXTENSIONS}
        onText={(next) => {
          write(next);
          onValue(read(next));
        }}
      />
      <p className={formStyles['aside']} aria-live="polite">
        {rounded && t('form.rounded', rounded)}
      </p>
    </>
  );
}

/** An empty text is no value. */
function read(text: string): unknown {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return unparsed(text, mistakeIn(text));
  }
}

/** The first position at which the text is not valid JSON, counted from 1. */
function mistakeIn(text: string): TextPlace {
  let at = text.length;
  jsonLanguage.parser.parse(text).iterate({
    enter: (node) => {
      if (node.type.isError) at = Math.min(at, node.from);
    },
  });
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: before.at(-1)!.length + 1 };
}
