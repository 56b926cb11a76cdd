/** The form with every kind of attribute, for development and tests. */
import { type ReactNode, useState } from 'react';
import { useTitle } from '../app/title.ts';
import { PageHead } from '../app/top-bar.tsx';
import type { FieldError } from '../data/client.ts';
import { DocumentForm } from '../form/document-form.tsx';
import { differences } from '../form/values/differences.ts';
import type { Values } from '../form/values/model.ts';
import { withValue } from '../form/values/path.ts';
import { toBody } from '../form/values/to-body.ts';
import { Button } from '../ui/button.tsx';
import styles from './components.module.css';
import { sampleDraft, sampleModel, samplePublished, sampleSchema, sampleServices } from './sample-form.ts';
import { TITLE } from './title.ts';

const REFUSALS: readonly FieldError[] = [
  { path: ['slug'], message: 'This attribute must be unique', name: 'ValidationError', reason: { code: 'unique' } },
  {
    path: ['sections', '2', 'who'],
    message: 'sections[2].who must be defined.',
    name: 'ValidationError',
    reason: { code: 'required' },
  },
];

export function SampleForm(): ReactNode {
  useTitle(TITLE);
  const [value, setValue] = useState<Values>(sampleDraft);
  const [errors, setErrors] = useState<readonly FieldError[]>([]);
  const count = differences(sampleSchema, sampleModel, value, samplePublished).length;
  const body = toBody(sampleSchema, sampleModel, value, sampleDraft);
  return (
    <>
      <PageHead title={TITLE}>
        <Button onClick={() => setErrors([...REFUSALS])}>Refuse</Button>
        <Button look="primary">Publish {count} changes</Button>
      </PageHead>
      <div className={styles['sample']} lang="en">
        <DocumentForm
          model={sampleModel}
          schema={sampleSchema}
          documentId="sample"
          locale={null}
          value={value}
          published={samplePublished}
          errors={errors}
          readOnly={false}
          services={sampleServices}
          onChange={(path, next) => setValue((before) => withValue(before, path, next))}
        />
        <output className={styles['sent']} aria-label="What would be sent">
          {JSON.stringify(body, null, 2)}
        </output>
      </div>
    </>
  );
}
