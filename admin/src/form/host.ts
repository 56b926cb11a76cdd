/** What every field of a form can reach: the schema, the document that it is of, and what changes its values. */
import { createContext, use } from 'react';
import type { Linked } from '../../contract/documents.ts';
import type { FormServices } from './services.ts';
import type { Attribute, Model, Path, Schema } from './values/model.ts';
import type { Finding } from './values/problems.ts';

export interface FormHost {
  readonly schema: Schema;
  /** The content type of the document. */
  readonly model: Model;
  /** Null: the server does not have it yet. */
  readonly documentId: string | null;
  readonly locale: string | null;
  readonly readOnly: boolean;
  /** Whether an earlier version may be shown, and the newest is on its way: what is kept nowhere is not written into it. */
  readonly isOpening: boolean;
  /** What is to be mended, by path. */
  readonly errors: readonly Finding[];
  /** What else stands against publishing, by path: said quietly. */
  readonly advice: readonly Finding[];
  readonly change: (path: Path, value: unknown) => void;
  /** What stands at a path now. */
  readonly valueAt: (path: Path) => unknown;
  /** Gives what finds a path again after rows around it have moved; that gives undefined where they are gone. */
  readonly follow: (path: Path) => () => Path | undefined;
  readonly services: FormServices;
  /** Makes documents to be linked beside the form; undefined where that is not possible. */
  readonly related?: Related | undefined;
}

/** What makes a document of another type without leaving the form. */
export interface Related {
  /** Whether documents of a type may be made, in the locale that would be linked. */
  readonly may: (type: string) => boolean;
  /** Whether the form is that of such a document of such a document: then it is said where else one is made. */
  readonly isDeep: boolean;
  /** Opens the form of a new document. @param onMade called with it once it is saved. */
  readonly make: (type: string, name: string, onMade: (made: Linked) => void) => void;
}

const HostContext = createContext<FormHost | undefined>(undefined);

export const HostProvider = HostContext.Provider;

/** The form around a field. */
export function useHost(): FormHost {
  const host = use(HostContext);
  if (!host) throw new Error('a field stands in a form');
  return host;
}

/** Whether somebody may write into an attribute of the document. */
export function isWritable({ readOnly, documentId }: FormHost, attribute: Attribute): boolean {
  return !readOnly && (documentId === null ? attribute.writableInNew : attribute.writable);
}

/** What every control is given. */
export interface ControlProps {
  readonly attribute: Attribute;
  /** The model that the attribute is of. */
  readonly model: Model;
  readonly path: Path;
  readonly value: unknown;
  /** What is published in its place; undefined where nothing is. */
  readonly published: unknown;
  /** The value of the field that it is made from (`targetField`); undefined where it is made from none. */
  readonly source: unknown;
  readonly readOnly: boolean;
  readonly onValue: (value: unknown) => void;
  /** Tells what is being written and put into the form only when it is whole: what is said of it goes by that. */
  readonly onWriting: (value: unknown) => void;
  /** As large as on the site: the field that names the document. */
  readonly isTitle: boolean;
}
