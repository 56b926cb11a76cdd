/** Copies a text and says so. */
import { useText } from '../../language/language.tsx';
import { useToasts } from '../../ui/toast.tsx';

export function useCopy(): (value: string, done?: string) => void {
  const t = useText();
  const { show } = useToasts();
  return (value, done = t('copied')) => {
    navigator.clipboard.writeText(value).then(
      () => show({ text: done }),
      () => show({ text: t('explore.copyFailed'), tone: 'danger' }),
    );
  };
}
