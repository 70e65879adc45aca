// A new key: whose it will be, and what it may do.
import { type FormEvent, useState } from 'react'
import { ApiError } from '@/api/client'
import { describeError } from '@/api/errors'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Field } from '@/ui/field'
import { Notice } from '@/ui/notice'
import { CheckList } from './check-list'
import { type ApiScope, developerTexts, type useMakeKey } from './queries'
import { ROOMS } from './words'

const LOOK = ROOMS.map(({ room, read }) => ({ value: read as ApiScope, label: room }))
const CHANGE = ROOMS.flatMap(({ room, write }) => (write ? [{ value: write, label: room }] : []))

export function KeyDialog({ make, onClose }: { make: ReturnType<typeof useMakeKey>; onClose: () => void }) {
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<ApiScope[]>([])
  const problems = make.error instanceof ApiError ? make.error.errors : {}
  const choose = (among: typeof LOOK) => (chosen: ApiScope[]) =>
    setScopes((before) => [...before.filter((scope) => !among.some(({ value }) => value === scope)), ...chosen])
  const send = (event: FormEvent) => {
    event.preventDefault()
    make.mutate({ name, scopes }, { onSuccess: onClose })
  }
  return (
    <Dialog open onClose={onClose} title="Make a key">
      <form aria-label="Key" className="grid grid-cols-[minmax(0,1fr)] gap-4" onSubmit={send}>
        <Field label="Name of the program" required error={problems['name']}>
          {(wiring) => (
            <input
              className="input"
              autoComplete="off"
              maxLength={60}
              aria-required
              {...wiring}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <CheckList
          label="It may look at"
          error={problems['scopes']}
          options={LOOK}
          chosen={scopes}
          onChange={choose(LOOK)}
        />
        <CheckList label="It may change" options={CHANGE} chosen={scopes} onChange={choose(CHANGE)} />
        {make.isError && Object.keys(problems).length === 0 && (
          <Notice tone="error" title={developerTexts.keyNotMade.title}>
            {describeError(make.error).description}
          </Notice>
        )}
        <div className="flex flex-wrap justify-end gap-2">
          <Button variant="ghost" onClick={onClose}>
            Close
          </Button>
          <Button type="submit" icon="check" pending={make.isPending} pendingText="Making...">
            Make the key
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
