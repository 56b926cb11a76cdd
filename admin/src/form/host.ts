/** The context of the fields of a form: the schema, the document, and the functions that change its values. */
import { createContext, use } from 'react';
import type { Linked } from '../../contract/documents.ts';
import type { FormServices } from './services.ts';
import type { Attribute, Model, Path, Schema } from './values/model.ts';
import type { Finding } from './values/problems.ts';

export interface FormHost {
  readonly schema: Schema;
  /** The content type of the document. */
  readonly model: Model;
  /** Null if the server does not have the document yet. */
  readonly documentId: string | null;
  readonly locale: string | null;
  readonly readOnly: boolean;
  /**
   * Whether the values may be outdated, while the latest version is loading. Controls whose input would not be stored
   * on the device wait for it.
   */
  readonly isOpening: boolean;
  /** Errors that prevent saving. */
  readonly errors: readonly Finding[];
  /** Errors that only prevent publishing. */
  readonly advice: readonly Finding[];
  readonly change: (path: Path, value: unknown) => void;
  /** Returns the current value at a path. */
  readonly valueAt: (path: Path) => unknown;
  /** Returns a function that finds a path again after rows have moved. It returns undefined if the rows are gone. */
  readonly follow: (path: Path) => () => Path | undefined;
  readonly services: FormServices;
  /** Creates related documents from within the form; undefined if that is not possible. */
  readonly related?: Related | undefined;
  /** Comments on fields; undefined where there are none. */
  readonly comments?: FieldComments | undefined;
}

/** Comments on the fields of a form. */
export interface FieldComments {
  /** The number of open comments by the path of their field. */
  readonly open: ReadonlyMap<string, number>;
  /** Shows the comments on a field. */
  readonly show: (path: string) => void;
}

/** Creates documents of other types without leaving the form. */
export interface Related {
  /** Whether documents of a type can be created, in the locale that would be linked. */
  readonly may: (type: string) => boolean;
  /**
   * Whether the form itself is that of a related document of a related document: then no further one can be created.
   */
  readonly isNested: boolean;
  /** Opens the form of a new document. @param onCreated called with the document once it is saved. */
  readonly create: (type: string, name: string, onCreated: (made: Linked) => void) => void;
}

const HostContext = createContext<FormHost | undefined>(undefined);

export const HostProvider = HostContext.Provider;

/** The context of the form around a field. */
export function useHost(): FormHost {
  const host = use(HostContext);
  if (!host) throw new Error('a field stands in a form');
  return host;
}

/** Whether the user may change an attribute of the document. */
export function isWritable({ readOnly, documentId }: FormHost, attribute: Attribute): boolean {
  return !readOnly && (documentId === null ? attribute.writableInNew : attribute.writable);
}

/** The properties of every control. */
export interface ControlProps {
  readonly attribute: Attribute;
  /** The model of the attribute. */
  readonly model: Model;
  readonly path: Path;
  readonly value: unknown;
  /** The published value; undefined if there is none. */
  readonly published: unknown;
  /** The value of the field from which it is generated (`targetField`); undefined if there is none. */
  readonly source: unknown;
  readonly readOnly: boolean;
  readonly onValue: (value: unknown) => void;
  /** Reports a value that is being entered but not yet in the form. Errors are shown for it. */
  readonly onWriting: (value: unknown) => void;
  /** Whether the field names the document and is set in large type. */
  readonly isTitle: boolean;
}
