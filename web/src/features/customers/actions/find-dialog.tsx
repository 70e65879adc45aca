import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { useCurrentUser } from '@/features/session/use-session'
import { Dialog } from '@/ui/dialog'
import { QueryBoundary } from '@/ui/query-boundary'
import { SearchBox } from '@/ui/search-box'
import { SkeletonLines } from '@/ui/skeleton'
import { customersMessages } from '../messages'
import { customerQueries } from '../queries'
import type { Customer } from '../types'

const SEARCH_DEBOUNCE_MS = 250

type FindDuplicateDialogProps = { customer: Customer; onClose: () => void; onFound: (otherId: string) => void }

export function FindDuplicateDialog({ customer, onClose, onFound }: FindDuplicateDialogProps) {
  const { orgId, orgTimezone } = useCurrentUser()
  const [text, setText] = useState('')
  const found = useQuery(customerQueries.choices(orgId, useDebounced(text.trim(), SEARCH_DEBOUNCE_MS)))
  return (
    <Dialog open onClose={onClose} title={`Merge ${customer.name} with…`}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
        <p className="text-note text-muted">
          Choose the other record of the same person. You see what would happen before anything does.
        </p>
        <SearchBox
          label="Search the other record by name, phone or email"
          placeholder="Name, phone or email"
          value={text}
          onChange={setText}
        />
        <QueryBoundary
          query={found}
          skeleton={<SkeletonLines lines={4} />}
          errorText={customersMessages.listFailed}
          timeZone={orgTimezone}
        >
          {(all) => {
            const others = all.filter(({ id }) => id !== customer.id)
            if (others.length === 0)
              return (
                <p role="status" className="text-muted">
                  {customersMessages.noMatch}
                </p>
              )
            return (
              <ul aria-label="Records found" className="grid gap-2">
                {others.map(({ id, name, phoneShown, email }) => (
                  <li key={id}>
                    <button
                      type="button"
                      className="w-full rounded-field border border-primary/22 px-3 py-2 text-left wrap-anywhere hover:bg-primary/8"
                      onClick={() => onFound(id)}
                    >
                      <span className="block font-semibold">{name}</span>
                      <span className="block text-note text-muted">
                        {[phoneShown, email].filter(Boolean).join(', ') || 'No phone or email'}
                      </span>
                    </button>
                  </li>
                ))}
              </ul>
            )
          }}
        </QueryBoundary>
      </div>
    </Dialog>
  )
}
