// Filters and order in one row, which scrolls sideways on a phone.
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { LEAD_STAGE_ORDER, LEAD_STAGES, type LeadSummary } from '@/domain/lead'
import { classNames } from '@/lib/class-names'
import { peopleQueries } from '@/features/people/queries'
import { useCurrentUser } from '@/features/session/use-session'
import { pgettext, t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { ChipToggle } from '@/ui/chip-choice'
import { DEFAULT_SORT, LEAD_SORTS, type LeadFilterPatch, UNASSIGNED } from '../lib/lead-filters'
import type { LeadFilterState } from '../lib/use-lead-filters'
import { leadsMessages } from '../messages'

type Choice = { value: string; label: string }

const STAGES = LEAD_STAGE_ORDER.map((stage) => ({ value: stage, label: LEAD_STAGES[stage].label }))
const SORTS = Object.entries(LEAD_SORTS).map(([value, label]) => ({ value, label }))

type LeadFilterBarProps = {
  state: LeadFilterState
  /** The leads that are loaded: their sources are offered. */
  leads: readonly LeadSummary[]
}

export function LeadFilterBar({ state: { filters, isChanged, change, clear }, leads }: LeadFilterBarProps): ReactNode {
  const { stage = '', source = '', waiting, owner = '', sort = DEFAULT_SORT } = filters
  const owners = useOwnerChoices(owner)
  const sources = listSources(leads, source)
  const select = (name: keyof LeadFilterPatch) => (value: string) => change({ [name]: value })
  return (
    <div
      role="group"
      aria-label={t('Filters')}
      className="relative -mx-4 flex gap-2 overflow-x-auto px-4 py-0.5 [scrollbar-width:none] sm:mx-0 sm:flex-wrap sm:px-0"
    >
      {isChanged && (
        <Button variant="secondary" icon="close" className="shrink-0 rounded-full!" onClick={clear}>
          {leadsMessages.clearFilters}
        </Button>
      )}
      <ChipToggle
        label={t('Waiting')}
        checked={waiting === 'true'}
        onChange={(on) => change({ waiting: on ? 'true' : undefined })}
      />
      <ChipSelect
        label={t('Order')}
        isOn={sort !== DEFAULT_SORT}
        value={sort}
        choices={SORTS}
        onChange={select('sort')}
      />
      <ChipSelect label={t('Stage')} all={t('Any stage')} value={stage} choices={STAGES} onChange={select('stage')} />
      {owners.length > 0 && (
        <ChipSelect
          label={pgettext('of a lead', 'Owner')}
          all={t('Any owner')}
          value={owner}
          choices={owners}
          onChange={select('owner')}
        />
      )}
      {sources.length > 0 && (
        <ChipSelect
          label={t('Source')}
          all={t('Any source')}
          value={source}
          choices={sources}
          onChange={select('source')}
        />
      )}
    </div>
  )
}

/** Nobody and oneself first. None in a business of one person, unless the address asks for one. */
function useOwnerChoices(chosen: string): Choice[] {
  const { id, orgId } = useCurrentUser()
  const { data: team } = useQuery(peopleQueries.team(orgId))
  const others = (team ?? []).filter((member) => member.isActive && member.id !== id)
  if (others.length === 0 && chosen === '') return []
  const known = [
    { value: id, label: t('Yours') },
    { value: UNASSIGNED, label: t('Unassigned') },
    ...others.map((member) => ({ value: member.id, label: member.name })),
  ]
  const former = team
    ? (team.find((member) => member.id === chosen)?.name ?? t('Another person'))
    : pgettext('of a lead', 'Owner')
  const isKnown = chosen === '' || known.some(({ value }) => value === chosen)
  return isKnown ? known : [...known, { value: chosen, label: former }]
}

function listSources(leads: readonly LeadSummary[], chosen: string): Choice[] {
  const names = new Set(leads.map(({ source }) => source).filter(Boolean))
  if (chosen !== '') names.add(chosen)
  return [...names].toSorted((one, other) => one.localeCompare(other)).map((value) => ({ value, label: value }))
}

type ChipSelectProps = {
  label: string
  /** Label of the choice that filters nothing. */
  all?: string
  value: string
  isOn?: boolean
  choices: readonly Choice[]
  onChange: (value: string) => void
}

function ChipSelect({ label, all, value, isOn = value !== '', choices, onChange }: ChipSelectProps) {
  return (
    <select
      aria-label={label}
      className={classNames('select w-auto! max-w-full shrink-0 rounded-full!', isOn && 'border-primary! text-primary')}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      {all && <option value="">{all}</option>}
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </select>
  )
}
