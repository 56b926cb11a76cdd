/** All components in all states, for development and tests. */
import { type ReactNode, useState } from 'react';
import { useTitle } from '../app/title.ts';
import { PageHead } from '../app/top-bar.tsx';
import { useText } from '../language/language.tsx';
import { Avatar, Chip, type ContentState, EmptyState, Skeleton, StateMark } from '../ui/bits.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { Combobox } from '../ui/combobox.tsx';
import { Dialog, Sheet } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Archive, Copy, Ellipsis, FileText, Plus, Settings, Trash } from '../ui/icons.ts';
import { Input, PasswordInput, Select, Textarea } from '../ui/input.tsx';
import { Kbd, KeyCaps } from '../ui/kbd.tsx';
import { Menu, MenuItem, MenuRule } from '../ui/menu.tsx';
import { Pagination } from '../ui/pagination.tsx';
import { Popover } from '../ui/popover.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { useToasts } from '../ui/toast.tsx';
import { Checkbox, Switch } from '../ui/toggle.tsx';
import styles from './components.module.css';
import { SamplePicker } from './sample-picker.tsx';
import { SampleTable } from './sample-table.tsx';
import { TITLE } from './title.ts';

export function Components(): ReactNode {
  useTitle(TITLE);
  return (
    <>
      <PageHead title={TITLE}>
        <Button icon={Plus} look="primary">
          New article
        </Button>
      </PageHead>
      <div className={styles['parts']} lang="en">
        <Buttons />
        <Fields />
        <Marks />
        <Above />
        <Lists />
        <Part title="Files">
          <SamplePicker />
        </Part>
      </div>
    </>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  return (
    <section aria-label={title}>
      <h2 className={styles['heading']}>{title}</h2>
      {children}
    </section>
  );
}

function Buttons(): ReactNode {
  const [busy, setBusy] = useState(false);
  return (
    <Part title="Buttons">
      <div className={styles['line']}>
        <Button look="primary">Publish 3 changes</Button>
        <Button icon={Copy}>Duplicate</Button>
        <Button look="quiet">Preview</Button>
        <Button look="danger" icon={Trash}>
          Delete for good
        </Button>
        <Button look="primary" busy={busy} onClick={() => setBusy(true)}>
          {busy ? 'Working' : 'Work'}
        </Button>
        <IconButton icon={Settings} label="Settings" />
      </div>
    </Part>
  );
}

const TAGS = ['food', 'harbour', 'craft', 'weather', 'letters', 'boats'].map((label) => ({ value: label, label }));

function Fields(): ReactNode {
  const [title, setTitle] = useState('Smoke, patience, honey');
  const [summary, setSummary] = useState('A morning with the beekeeper behind the customs house.');
  const [tag, setTag] = useState<string | null>('harbour');
  const [on, setOn] = useState(true);
  const [checked, setChecked] = useState(true);
  return (
    <Part title="Fields">
      <div className={styles['form']}>
        <Field label="Title" mark={{ text: 'was “Smoke and patience”' }}>
          <Input look="title" value={title} onChange={(event) => setTitle(event.target.value)} />
        </Field>
        <Field label="Slug" note="free">
          <Input defaultValue="smoke-patience-honey" />
        </Field>
        <Field label="Address" error="This address is taken. Choose another." required>
          <Input defaultValue="smoke" />
        </Field>
        <Field label="Summary" note={`${summary.length} of 160`} hint="Stands below the title in lists.">
          <Textarea value={summary} onChange={(event) => setSummary(event.target.value)} />
        </Field>
        <div className={styles['pair']}>
          <Field label="Tag">
            <Combobox value={tag} options={TAGS} onChoose={({ value }) => setTag(value)} placeholder="Find a tag" />
          </Field>
          <Field label="Section">
            <Select
              defaultValue="b"
              options={[
                { value: 'a', label: 'News' },
                { value: 'b', label: 'Harbour' },
              ]}
            />
          </Field>
          <Field label="Password">
            <PasswordInput defaultValue="a secret" autoComplete="off" />
          </Field>
        </div>
        <Checkbox label="Show on the first page" checked={checked} onValue={setChecked} />
        <Switch label="Comments" hint="Readers may write below the article." checked={on} onValue={setOn} />
      </div>
    </Part>
  );
}

const STATES: readonly ContentState[] = ['draft', 'modified', 'published'];

function Marks(): ReactNode {
  const t = useText();
  return (
    <Part title="Marks">
      <div className={styles['line']}>
        {STATES.map((state) => (
          <StateMark key={state} state={state} label={t(`state.${state}`)} />
        ))}
        <span className={styles['line']}>
          {STATES.map((state) => (
            <StateMark key={state} state={state} small />
          ))}
        </span>
        <Chip>harbour</Chip>
        <Chip look="accent" onPress={() => {}} onRemove={() => {}} removeLabel="Remove: author is Jonas Abt">
          author <b>is</b> Jonas Abt
        </Chip>
        <Chip look="dashed" onPress={() => {}}>
          Filter
        </Chip>
        <Avatar name="Mara Kovač" />
        <Avatar name="Ines Ferro" />
        <Kbd>/</Kbd>
        <KeyCaps keys="mod+shift+p" />
        <Skeleton width="120px" />
      </div>
    </Part>
  );
}

function Above(): ReactNode {
  const { show } = useToasts();
  const [open, setOpen] = useState<'dialog' | 'sheet'>();
  return (
    <Part title="Above the page">
      <div className={styles['line']}>
        <Menu trigger={<IconButton icon={Ellipsis} label="More" />}>
          <MenuItem icon={Copy} keys="mod+d" onSelect={() => {}}>
            Duplicate
          </MenuItem>
          <MenuItem icon={Archive} disabled onSelect={() => {}}>
            Unpublish
          </MenuItem>
          <MenuRule />
          <MenuItem icon={Trash} dangerous onSelect={() => setOpen('dialog')}>
            Delete for good
          </MenuItem>
        </Menu>
        <Popover label="Columns" trigger={<Button>Columns</Button>}>
          <Checkbox label="Author" defaultChecked />
          <Checkbox label="Changed" defaultChecked />
        </Popover>
        <Button onClick={() => setOpen('dialog')}>Dialogue</Button>
        <Button onClick={() => setOpen('sheet')}>Sheet</Button>
        <Button onClick={() => show({ text: '“Smoke” unpublished', undo: () => show({ text: 'Undone' }) })}>
          Notice
        </Button>
      </div>
      <Dialog
        open={open === 'dialog'}
        onOpenChange={() => setOpen(undefined)}
        title="Delete “Smoke, patience, honey”?"
        text="2 articles and the page Home link to it. It is gone for good."
        actions={
          <>
            <Button look="quiet" onClick={() => setOpen(undefined)}>
              Cancel
            </Button>
            <Button look="danger" onClick={() => setOpen(undefined)}>
              Delete for good
            </Button>
          </>
        }
      />
      <Sheet open={open === 'sheet'} onOpenChange={() => setOpen(undefined)} title="A sheet">
        <EmptyState icon={FileText} title="From below" text="For what stands beside the page where there is room." />
      </Sheet>
    </Part>
  );
}

type Cohort = 'all' | 'draft' | 'modified' | 'published';

function Lists(): ReactNode {
  const [cohort, setCohort] = useState<Cohort>('all');
  const [page, setPage] = useState(1);
  return (
    <Part title="Lists">
      <Tabs<Cohort>
        label="Cohorts"
        value={cohort}
        onValue={setCohort}
        tabs={[
          { value: 'all', label: 'All' },
          { value: 'draft', label: 'Drafts', count: 41 },
          { value: 'modified', label: 'Changed', count: 7 },
          { value: 'published', label: 'Published', count: 1236 },
        ]}
      >
        {cohort === 'modified' ? (
          <EmptyState
            icon={FileText}
            title="Everything is as published"
            text="What differs from the site is listed here."
            action={<Button onClick={() => setCohort('all')}>See all articles</Button>}
          />
        ) : (
          <SampleTable />
        )}
      </Tabs>
      <Pagination page={page} pageCount={12} onPage={setPage} />
    </Part>
  );
}
