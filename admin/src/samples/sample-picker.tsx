/** Files that are selected from the library and not used. */
import { type ReactNode, useState } from 'react';
import type { MediaFile } from '../../contract/media.ts';
import { FilePreview, MediaPicker } from '../media/picker.tsx';
import { Button } from '../ui/button.tsx';
import { Image } from '../ui/icons.ts';
import styles from './components.module.css';

export function SamplePicker(): ReactNode {
  const [open, setOpen] = useState<'one' | 'pictures'>();
  const [files, setFiles] = useState<readonly MediaFile[]>([]);
  return (
    <div className={styles['line']}>
      <Button icon={Image} onClick={() => setOpen('one')}>
        Choose a cover
      </Button>
      <Button icon={Image} onClick={() => setOpen('pictures')}>
        Choose pictures
      </Button>
      <ul aria-label="Pictures" className={styles['line']}>
        {files.map((file) => (
          <li key={file.id} className={styles['pictures']}>
            <FilePreview file={file} width={96} />
            {file.name}
          </li>
        ))}
      </ul>
      <MediaPicker
        open={open !== undefined}
        multiple={open === 'pictures'}
        allowedTypes={open === 'pictures' ? ['images'] : undefined}
        chosen={open === 'pictures' ? files : files.slice(0, 1)}
        onClose={() => setOpen(undefined)}
        onChoose={setFiles}
      />
    </div>
  );
}
