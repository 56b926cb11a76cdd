/** The titles of content types, also of those that the administrator may not read. */
import { useQuery } from '@tanstack/react-query';
import type { ContentType } from '../../contract/schema.ts';
import { schemaQuery } from '../data/schema.ts';
import { useText } from '../language/language.tsx';
import { typeLabel, typeTitle } from '../language/type-name.ts';

/** Returns the function that names types in the plural, as the main navigation does. */
export function useTypeTitles(): (type: Pick<ContentType, 'uid' | 'displayName'>) => string {
  const t = useText();
  const { data: schema } = useQuery(schemaQuery);
  return (type) => {
    const known = schema?.contentTypes.find(({ uid }) => uid === type.uid);
    return schema && known ? typeTitle(t, schema, known) : typeLabel(t, type, true);
  };
}
