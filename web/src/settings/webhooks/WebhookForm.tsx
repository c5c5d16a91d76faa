import { Checkbox, Radio, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { FormActions } from '../../ui/FormActions.js';
import { fieldError } from '../../ui/Note.js';
import { EVENTS } from './labels.js';
import type { EventType, WebhookFields } from './queries.js';
import classes from './Webhooks.module.css';
import '@mantine/core/styles/Radio.layer.css';
import '@mantine/core/styles/SimpleGrid.layer.css';

const TYPES = Object.keys(EVENTS) as EventType[];

interface WebhookFormProps {
  begin: WebhookFields;
  act: string;
  error: unknown;
  isPending: boolean;
  onCancel: () => void;
  onSubmit: (fields: WebhookFields) => void;
}

export function WebhookForm({ begin, act, error, isPending, onCancel, onSubmit }: WebhookFormProps) {
  const [url, setUrl] = useState(begin.url);
  const [description, setDescription] = useState(begin.description ?? '');
  const [which, setWhich] = useState(begin.types === null ? 'all' : 'chosen');
  const [types, setTypes] = useState<string[]>(begin.types ?? []);
  const isChosen = which === 'chosen';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit({
      url: url.trim(),
      description: description.trim() || null,
      types: isChosen ? TYPES.filter((type) => types.includes(type)) : null,
    });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label="URL"
          description="Airdate sends each event to this address as a POST request"
          placeholder="https://example.com/hooks/airdate"
          type="url"
          required
          maxLength={2000}
          data-autofocus
          value={url}
          onChange={({ currentTarget: { value } }) => setUrl(value)}
          error={fieldError(error, 'url', 'The URL')}
        />
        <TextInput
          label="Description (optional)"
          placeholder="Our newsroom"
          maxLength={200}
          value={description}
          onChange={({ currentTarget: { value } }) => setDescription(value)}
          error={fieldError(error, 'description', 'The description')}
        />
        <Radio.Group label="Events" value={which} onChange={setWhich}>
          <Stack gap={10} mt="xs">
            <Radio value="all" label="All events" description="Including ones added later" />
            <Radio value="chosen" label="Only these" />
          </Stack>
        </Radio.Group>
        {isChosen && (
          <Checkbox.Group
            aria-label="Events to send"
            value={types}
            onChange={setTypes}
            error={fieldError(error, 'types', 'The list')}
          >
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing={10} pl={32}>
              {TYPES.map((type) => (
                <Checkbox key={type} value={type} label={EVENTS[type]} description={type} />
              ))}
            </SimpleGrid>
          </Checkbox.Group>
        )}
        <FormActions
          act={act}
          error={error}
          isPending={isPending}
          disabled={url.trim() === '' || (isChosen && types.length === 0)}
          className={classes.footer}
          onCancel={onCancel}
        />
      </Stack>
    </form>
  );
}
