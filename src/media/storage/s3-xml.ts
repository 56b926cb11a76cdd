/** XML as the store and its token service answer it: elements with text, no attributes that matter. */
import sax from 'sax';

export interface Element {
  readonly name: string;
  readonly children: readonly Element[];
  /** The text between the tags, without that of children. */
  readonly text: string;
}

/**
 * Parses a document.
 *
 * @throws Error for what is not XML.
 */
export function parseXml(text: string): Element {
  const parser = sax.parser(true);
  const root = { name: '', children: [] as Element[], text: '' };
  const open = [root];
  const addText = (piece: string): void => {
    open.at(-1)!.text += piece;
  };
  parser.onopentag = ({ name }) => {
    const element = { name, children: [], text: '' };
    open.at(-1)!.children.push(element);
    open.push(element);
  };
  parser.onclosetag = () => void open.pop();
  parser.ontext = addText;
  parser.oncdata = addText;
  parser.onerror = (error) => {
    throw error;
  };
  parser.write(text.trimStart()).close();
  const [document] = root.children;
  if (!document) throw new Error('The answer is empty');
  return document;
}

/** The text of the first child of a name; undefined where there is none. */
export function childText(element: Element, name: string): string | undefined {
  return element.children.find((child) => child.name === name)?.text;
}
