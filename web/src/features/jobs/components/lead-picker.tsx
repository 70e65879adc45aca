import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { serviceLabel, type LeadSummary } from '@/domain/lead'
import { formatDate } from '@/lib/format/date'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { FieldError } from '@/ui/field'
import { Icon } from '@/ui/icon'
import { SearchBox } from '@/ui/search-box'
import { SkeletonLines } from '@/ui/skeleton'
import { StageBadge } from '@/ui/stage-badge'
import { jobQueries } from '../queries'

const SEARCH_DEBOUNCE_MS = 250

type LeadPickerProps = { value: string; error: string | undefined; onChange: (lead: LeadSummary | undefined) => void }

export function LeadPicker({ value, error, onChange }: LeadPickerProps) {
  const { orgId, orgTimezone } = useCurrentUser()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<LeadSummary>()
  const leads = useQuery(jobQueries.leadChoices(orgId, useDebounced(text.trim(), SEARCH_DEBOUNCE_MS)))
  const choose = (lead: LeadSummary | undefined) => {
    setChosen(lead)
    onChange(lead)
  }
  if (chosen && chosen.id === value) {
    return (
      <div className="flex min-h-12 items-center gap-3 rounded-field border border-primary bg-primary/10 px-3 py-2">
        <LeadOption lead={chosen} timeZone={orgTimezone} />
        <button type="button" className="text-link min-h-11 shrink-0 px-1 text-note" onClick={() => choose(undefined)}>
          {t('Choose another')}
        </button>
      </div>
    )
  }
  return (
    <div className="grid gap-2">
      <SearchBox
        label={t('Search leads by name, phone or service')}
        placeholder={t('Name, phone or service')}
        value={text}
        onChange={setText}
      />
      {leads.isPending && <SkeletonLines lines={3} />}
      {leads.isError && (
        <p className="text-note text-warning">
          {t('The leads could not be loaded. Type something, or try again in a moment.')}
        </p>
      )}
      {leads.data?.length === 0 && (
        <p role="status" className="text-note text-muted">
          {text.trim() === ''
            ? t('There are no leads yet. Add the customer instead.')
            : t('No leads found matching your search.')}
        </p>
      )}
      <ul aria-label={t('Leads')} className="grid gap-2">
        {leads.data?.map((lead) => (
          <li key={lead.id}>
            <button
              type="button"
              className="flex min-h-12 w-full items-center gap-3 rounded-field border border-primary/22 px-3 py-2 text-left hover:bg-primary/8"
              onClick={() => choose(lead)}
            >
              <LeadOption lead={lead} timeZone={orgTimezone} />
              <Icon name="arrow-right" className="size-4 text-primary" />
            </button>
          </li>
        ))}
      </ul>
      {error && <FieldError>{error}</FieldError>}
    </div>
  )
}

function LeadOption({ lead, timeZone }: { lead: LeadSummary; timeZone: string }) {
  return (
    <span className="flex min-w-0 flex-1 flex-wrap items-center justify-between gap-x-3 gap-y-1">
      <span className="min-w-0">
        <span className="block font-semibold wrap-anywhere">{lead.name}</span>
        <span className="block text-note text-muted">
          {serviceLabel(lead.service)}, {formatDate(lead.createdAt, timeZone)}
        </span>
      </span>
      <StageBadge stage={lead.stage} />
    </span>
  )
}
