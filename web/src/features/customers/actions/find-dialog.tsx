import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { contactMessages } from '@/features/contact-points/messages'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Dialog } from '@/ui/dialog'
import { QueryBoundary } from '@/ui/query-boundary'
import { SearchBox } from '@/ui/search-box'
import { SkeletonLines } from '@/ui/skeleton'
import { listMergeChoices, type MergeChoice } from '../lib/merge-choices'
import { customersMessages } from '../messages'
import { customerQueries } from '../queries'
import type { Customer } from '../types'

const SEARCH_DEBOUNCE_MS = 250

type FindDuplicateDialogProps = { customer: Customer; onClose: () => void; onFound: (otherId: string) => void }

export function FindDuplicateDialog({ customer, onClose, onFound }: FindDuplicateDialogProps) {
  const { orgId, orgTimezone } = useCurrentUser()
  const [text, setText] = useState('')
  const query = useDebounced(text.trim(), SEARCH_DEBOUNCE_MS)
  const found = useQuery(customerQueries.choices(orgId, query))
  const sameName = useQuery({ ...customerQueries.choices(orgId, customer.name), enabled: query === '' })
  return (
    <Dialog open onClose={onClose} title={t('Merge {name} with…', { name: customer.name })}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
        <p className="text-note text-muted">
          {t('Choose the other record of the same person. You see what would happen before anything does.')}
        </p>
        <SearchBox
          label={t('Search the other record by name, phone or email')}
          placeholder={t('Name, phone or email')}
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
            const others = listMergeChoices(customer, query, [...(sameName.data ?? []), ...all])
            if (others.length === 0)
              return (
                <p role="status" className="text-muted">
                  {customersMessages.noMatch}
                </p>
              )
            return (
              <ul aria-label={t('Records found')} className="grid gap-2">
                {others.map((choice) => (
                  <li key={choice.id}>
                    <button
                      type="button"
                      className="w-full rounded-field border border-primary/22 px-3 py-2 text-left wrap-anywhere hover:bg-primary/8"
                      onClick={() => onFound(choice.id)}
                    >
                      <ChoiceText choice={choice} />
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

function describeProven(shown: string, proof: MergeChoice['phoneProof']) {
  return proof ? `${shown} (${contactMessages.proofs[proof].toLowerCase()})` : shown
}

function ChoiceText({ choice: { name, phoneShown, phoneProof, email, emailProof, why } }: { choice: MergeChoice }) {
  const points = [phoneShown && describeProven(phoneShown, phoneProof), email && describeProven(email, emailProof)]
  return (
    <>
      <span className="block font-semibold">{name}</span>
      <span className="block text-note text-muted">{points.filter(Boolean).join(', ') || t('No phone or email')}</span>
      {why && <span className="block text-caption">{why}</span>}
    </>
  )
}
