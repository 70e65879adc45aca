import { type FormEvent, useState } from 'react'
import { ApiError } from '@/api/client'
import { describeError } from '@/api/errors'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Field } from '@/ui/field'
import { Notice } from '@/ui/notice'
import { CheckboxGroup } from './checkbox-group'
import { developerMessages, type Webhook, type WebhookEvent, type WebhookForm } from './queries'
import { WEBHOOK_EVENT_NAMES, WEBHOOK_EVENTS } from './labels'

const OPTIONS = WEBHOOK_EVENT_NAMES.map((value) => ({ value, label: WEBHOOK_EVENTS[value] }))

/** What adds it or changes it. */
type Command = {
  error: Error | null
  isError: boolean
  isPending: boolean
  mutate: (form: WebhookForm, options: { onSuccess: () => void }) => void
}

type WebhookDialogProps = { title: string; verb: string; webhook?: Webhook; command: Command; onClose: () => void }

export function WebhookDialog({ title, verb, webhook, command, onClose }: WebhookDialogProps) {
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [about, setAbout] = useState(webhook?.about ?? '')
  const [events, setEvents] = useState<WebhookEvent[]>(webhook?.events ?? [])
  const problems = command.error instanceof ApiError ? command.error.errors : {}
  const send = (event: FormEvent) => {
    event.preventDefault()
    command.mutate({ url, about: about.trim() === '' ? null : about, events }, { onSuccess: onClose })
  }
  return (
    <Dialog open onClose={onClose} title={title}>
      <form aria-label={t('Webhook')} noValidate className="grid grid-cols-[minmax(0,1fr)] gap-4" onSubmit={send}>
        <Field label={t('Address')} required hint={t('An https address on the internet')} error={problems['url']}>
          {(aria) => (
            <input
              className="input"
              type="url"
              inputMode="url"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={2048}
              aria-required
              placeholder="https://example.com/toolbox"
              {...aria}
              value={url}
              onChange={(event) => setUrl(event.target.value)}
            />
          )}
        </Field>
        <Field label={t('What it is')} error={problems['about']}>
          {(aria) => (
            <input
              className="input"
              autoComplete="off"
              maxLength={100}
              {...aria}
              value={about}
              onChange={(event) => setAbout(event.target.value)}
            />
          )}
        </Field>
        <CheckboxGroup
          label={t('Events')}
          error={problems['events']}
          options={OPTIONS}
          chosen={events}
          onChange={setEvents}
        />
        {command.isError && Object.keys(problems).length === 0 && (
          <Notice tone="error" title={developerMessages.hookFailed.title}>
            {describeError(command.error).description}
          </Notice>
        )}
        <div className="flex flex-wrap justify-end gap-2">
          <Button variant="ghost" onClick={onClose}>
            {t('Close')}
          </Button>
          <Button type="submit" icon="check" pending={command.isPending} pendingText={t('Saving...')}>
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
