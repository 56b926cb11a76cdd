/** The locales of a document, with their states and links to them. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ContentType, Right, Schema } from '../../../contract/contract.ts';
import type { DocumentAnswer } from '../../../contract/documents.ts';
import { mayInLocale } from '../../data/locales.ts';
import { useSession } from '../../data/session.ts';
import { useText } from '../../language/language.tsx';
import { StateMark } from '../../ui/bits.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Columns3 } from '../../ui/icons.ts';
import { SINGLE } from './document-query.ts';
import panelStyles from './side.module.css';

interface Props {
  readonly schema: Schema;
  readonly model: ContentType;
  readonly server: DocumentAnswer;
  /** The locale that is shown beside this one. */
  readonly beside?: string | undefined;
  /** Shows another locale beside this one; undefined hides it. */
  readonly onBeside?: (locale: string | undefined) => void;
}

/** Whether a locale can be opened: it has a version, or the administrator may create one. */
export function leadsTo(rights: readonly Right[], model: ContentType, server: DocumentAnswer, code: string): boolean {
  if (!model.localized || code === server.locale) return false;
  if (model.kind !== 'singleType' && server.documentId === null) return false;
  return server.states[code] !== undefined || mayInLocale(rights, 'create', model, code);
}

export function LocaleList({ schema, model, server, beside, onBeside }: Props): ReactNode {
  const t = useText();
  const { rights } = useSession();
  if (!model.localized || schema.locales.length < 2) return null;
  const documentId = model.kind === 'singleType' ? SINGLE : server.documentId;
  return (
    <section aria-labelledby="document-locales">
      <h2 id="document-locales" className={panelStyles['sideHead']}>
        {t('document.locales')}
      </h2>
      <ul className={panelStyles['locales']}>
        {schema.locales.map(({ code, name }) => {
          const state = server.states[code];
          const isHere = code === server.locale;
          const leads = leadsTo(rights, model, server, code);
          const label = (
            <span className={panelStyles['localeName']}>
              {state && model.draftAndPublish && <StateMark state={state} small />}
              {!state && <span className={panelStyles['noState']} />}
              {name}
              <small className={panelStyles['localeState']}>
                {isHere
                  ? t('document.locale.here')
                  : state
                    ? model.draftAndPublish && t(`state.${state}`)
                    : leads && t('document.locale.none')}
              </small>
            </span>
          );
          return (
            <li key={code}>
              {!leads ? (
                <span aria-current={isHere ? 'page' : undefined} className={panelStyles['locale']}>
                  {label}
                </span>
              ) : (
                <Link
                  to="/content/$uid/$documentId"
                  params={{ uid: model.uid, documentId: documentId! }}
                  search={{ locale: code }}
                  className={panelStyles['locale']}
                >
                  {label}
                </Link>
              )}
              {state && !isHere && onBeside && (
                <IconButton
                  icon={Columns3}
                  label={t(beside === code ? 'document.beside.close' : 'document.beside.open', { locale: name })}
                  aria-pressed={beside === code}
                  onClick={() => onBeside(beside === code ? undefined : code)}
                />
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
