import { type FormEvent, useState } from 'react'
import { ApiError } from '@/api/client'
import { describeError } from '@/api/errors'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Field } from '@/ui/field'
import { Notice } from '@/ui/notice'
import { CheckboxGroup } from './checkbox-group'
import { type ApiScope, developerMessages, type useCreateApiKey } from './queries'
import { API_SCOPES } from './labels'

const READ_OPTIONS = API_SCOPES.map(({ resource: room, read, shows }) => ({
  value: read as ApiScope,
  label: room,
  detail: shows,
}))
const WRITE_OPTIONS = API_SCOPES.flatMap(({ resource: room, write }) => (write ? [{ value: write, label: room }] : []))

export function ApiKeyDialog({ make, onClose }: { make: ReturnType<typeof useCreateApiKey>; onClose: () => void }) {
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<ApiScope[]>([])
  const problems = make.error instanceof ApiError ? make.error.errors : {}
  const choose = (among: readonly { value: ApiScope }[]) => (chosen: ApiScope[]) =>
    setScopes((before) => [...before.filter((scope) => !among.some(({ value }) => value === scope)), ...chosen])
  const send = (event: FormEvent) => {
    event.preventDefault()
    make.mutate({ name, scopes }, { onSuccess: onClose })
  }
  return (
    <Dialog open onClose={onClose} title={t('Make a key')}>
      <form aria-label={t('Key')} className="grid grid-cols-[minmax(0,1fr)] gap-4" onSubmit={send}>
        <Field label={t('Name of the program')} required error={problems['name']}>
          {(aria) => (
            <input
              className="input"
              autoComplete="off"
              maxLength={60}
              aria-required
              {...aria}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <CheckboxGroup
          label={t('It may look at')}
          error={problems['scopes']}
          options={READ_OPTIONS}
          chosen={scopes}
          onChange={choose(READ_OPTIONS)}
        />
        <CheckboxGroup
          label={t('It may change')}
          options={WRITE_OPTIONS}
          chosen={scopes}
          onChange={choose(WRITE_OPTIONS)}
        />
        {make.isError && Object.keys(problems).length === 0 && (
          <Notice tone="error" title={developerMessages.keyNotMade.title}>
            {describeError(make.error).description}
          </Notice>
        )}
        <div className="flex flex-wrap justify-end gap-2">
          <Button variant="ghost" onClick={onClose}>
            {t('Close')}
          </Button>
          <Button type="submit" icon="check" pending={make.isPending} pendingText={t('Making...')}>
            {t('Make the key')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
