/** The form of a type as it is with the unsaved changes. What is entered in it is not saved. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { schemaQuery } from '../../data/schema.ts';
import { DocumentForm } from '../../form/document-form.tsx';
import { type FormServices, serverServices } from '../../form/services.ts';
import type { Values } from '../../form/values/model.ts';
import { newValues } from '../../form/values/new-values.ts';
import { withValue } from '../../form/values/path.ts';
import { useText } from '../../language/language.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { ExternalLink } from '../../ui/icons.ts';
import type { ContentTypes } from './data.ts';
import { liveSchema } from './live-model.ts';
import styles from './types.module.css';
import { isChanged, type WorkingType } from './working-type.ts';

/** The answers for types that the server does not have in this form. */
const NO_SERVICES: FormServices = {
  linkable: async () => ({ items: [], total: 0 }),
  linked: async () => ({ items: [], total: 0 }),
  uid: async ({ value, from = '' }) => ({
    value:
      value ||
      from
        .trim()
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-'),
    free: true,
    suggestion: null,
  }),
};

interface Props {
  readonly all: ContentTypes;
  readonly type: WorkingType;
}

export function LiveForm(props: Props): ReactNode {
  // Values that were entered belong to the kinds of the attributes.
  const kinds = props.type.attributes.map(({ name, options }) => [name, options.type, options['repeatable']]);
  return <Form key={JSON.stringify(kinds)} {...props} />;
}

function Form({ all, type }: Props): ReactNode {
  const t = useText();
  const { data: around } = useQuery(schemaQuery);
  const schema = useMemo(() => around && liveSchema(all.types, around), [all.types, around]);
  const model = [...(schema?.contentTypes ?? []), ...(schema?.components ?? [])].find(({ uid }) => uid === type.uid);
  const [entered, setEntered] = useState<Values>({});
  const initial = useMemo(() => (schema && model ? newValues(schema, model) : {}), [schema, model]);
  const value = useMemo(() => ({ ...initial, ...entered }), [initial, entered]);
  const file = all.stored.get(type.from ?? type.uid);
  const isLive = !isChanged(type, file);
  if (!schema || !model) return null;
  const isKnown = around?.contentTypes.some(({ uid, actions }) => uid === type.uid && actions.create) === true;
  return (
    <div className={styles['live']}>
      <div className={styles['liveHead']}>
        <h2 className={styles['heading']}>{t('types.form')}</h2>
        {isKnown && (
          <ButtonLink
            look="quiet"
            icon={ExternalLink}
            to="/content/$uid/$documentId"
            params={{ uid: type.uid, documentId: type.kind === 'singleType' ? 'single' : 'new' }}
            search={{ locale: undefined, beside: undefined, kept: undefined }}
          >
            {t('types.form.open')}
          </ButtonLink>
        )}
      </div>
      <p className={styles['quiet']}>{t(isLive ? 'types.form.live' : 'types.form.unsaved')}</p>
      <DocumentForm
        model={model}
        schema={schema}
        documentId={null}
        locale={null}
        value={value}
        published={null}
        errors={NO_ERRORS}
        readOnly={false}
        services={isLive ? serverServices : NO_SERVICES}
        onChange={(path, next) => setEntered((before) => withValue({ ...initial, ...before }, path, next))}
      />
    </div>
  );
}

const NO_ERRORS: readonly never[] = [];
