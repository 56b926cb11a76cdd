/** The grammar of Markdown, for highlighting and for the preview. */
import { defineLanguageFacet, Language, languageDataProp } from '@codemirror/language';
import { GFM, parser } from '@lezer/markdown';

const data = defineLanguageFacet({ commentTokens: { block: { open: '<!--', close: '-->' } } });

/** CommonMark with tables, tasks, strikethrough and bare addresses. */
export const markdownParser = parser.configure([
  GFM,
  { props: [languageDataProp.add((type) => (type.isTop ? data : undefined))] },
]);

export const markdownLanguage = new Language(data, markdownParser, [], 'markdown');
