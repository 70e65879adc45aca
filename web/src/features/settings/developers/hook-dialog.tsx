// A webhook, new or known: where it is, what it is, and what it is told.
import { type FormEvent, useState } from 'react'
import { ApiError } from '@/api/client'
import { describeError } from '@/api/errors'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Field } from '@/ui/field'
import { Notice } from '@/ui/notice'
import { CheckList } from './check-list'
import { developerTexts, type Webhook, type WebhookEvent, type WebhookForm } from './queries'
import { EVENT_NAMES, EVENTS } from './words'

const OPTIONS = EVENT_NAMES.map((value) => ({ value, label: EVENTS[value] }))

/** What adds it or changes it. */
type Command = {
  error: Error | null
  isError: boolean
  isPending: boolean
  mutate: (form: WebhookForm, options: { onSuccess: () => void }) => void
}

type HookDialogProps = { title: string; verb: string; hook?: Webhook; command: Command; onClose: () => void }

export function HookDialog({ title, verb, hook, command, onClose }: HookDialogProps) {
  const [url, setUrl] = useState(hook?.url ?? '')
  const [about, setAbout] = useState(hook?.about ?? '')
  const [events, setEvents] = useState<WebhookEvent[]>(hook?.events ?? [])
  const problems = command.error instanceof ApiError ? command.error.errors : {}
  const send = (event: FormEvent) => {
    event.preventDefault()
    command.mutate({ url, about: about.trim() === '' ? null : about, events }, { onSuccess: onClose })
  }
  return (
    <Dialog open onClose={onClose} title={title}>
      <form aria-label="Webhook" noValidate className="grid grid-cols-[minmax(0,1fr)] gap-4" onSubmit={send}>
        <Field label="Address" required hint="An https address on the internet" error={problems['url']}>
          {(wiring) => (
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
              {...wiring}
              value={url}
              onChange={(event) => setUrl(event.target.value)}
            />
          )}
        </Field>
        <Field label="What it is" error={problems['about']}>
          {(wiring) => (
            <input
              className="input"
              autoComplete="off"
              maxLength={100}
              {...wiring}
              value={about}
              onChange={(event) => setAbout(event.target.value)}
            />
          )}
        </Field>
        <CheckList
          label="It is told when"
          error={problems['events']}
          options={OPTIONS}
          chosen={events}
          onChange={setEvents}
        />
        {command.isError && Object.keys(problems).length === 0 && (
          <Notice tone="error" title={developerTexts.hookFailed.title}>
            {describeError(command.error).description}
          </Notice>
        )}
        <div className="flex flex-wrap justify-end gap-2">
          <Button variant="ghost" onClick={onClose}>
            Close
          </Button>
          <Button type="submit" icon="check" pending={command.isPending} pendingText="Saving...">
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
